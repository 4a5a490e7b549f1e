"""Questions about findings: how many of which code, and which."""

from dataclasses import dataclass

from django.db.models import Count, F
from django.utils.translation import gettext, pgettext_lazy

from annotation.checks.catalogue.labels import KINDS, title
from annotation.checks.pages import explanation
from annotation.enums import Severity
from annotation.models import Finding
from annotation.querysets import FindingQuerySet
from projects.models import Project, Source

FAMILY_NAMES = {
    "structure": pgettext_lazy("family of checks", "structure"),
    "parity": pgettext_lazy("family of checks", "parity with the source"),
    "terms": pgettext_lazy("family of checks", "terms"),
    "script": pgettext_lazy("family of checks", "script"),
    "damage": pgettext_lazy("family of checks", "damage"),
    "content": pgettext_lazy("family of checks", "content"),
    "readers": pgettext_lazy("family of checks", "readers"),
}
OPEN, DISMISSED = "open", "dismissed"


@dataclass(frozen=True, slots=True)
class CodeCount:
    """Open findings of one code and severity, and how many items have one."""

    code: str
    title: str
    family: str
    severity: str
    severity_word: str
    finding_count: int
    item_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingFilter:
    """A choice of findings; empty means all. Without a system: the translation under review."""

    code: str = ""
    severity: str = ""
    state: str = ""
    system: str = ""


def findings_by_code(project: Project, system: str = "") -> list[CodeCount]:
    """Open findings on current texts, errors and large numbers first; one grouped query."""
    rows = (
        findings_of(project, system)
        .open()
        .values("code", "severity")
        .annotate(n=Count("pk"), items=Count("revision", distinct=True))
        .order_by("severity", "-n", "code")
    )
    return [
        CodeCount(
            code=row["code"],
            title=title_of(row["code"]),
            family=family_of(row["code"]),
            severity=row["severity"],
            severity_word=str(Severity(row["severity"]).label),
            finding_count=row["n"],
            item_count=row["items"],
        )
        for row in rows
    ]


def family_of(code: str) -> str:
    """Return the name of the family that a check belongs to, '' for a code that has no check any more."""
    return str(FAMILY_NAMES[KINDS[code].family]) if code in KINDS else ""


def filtered_findings(project: Project, wanted: FindingFilter) -> FindingQuerySet:
    """Return the findings that `wanted` names, with item, subject and who dismissed them."""
    rows = findings_of(project, wanted.system)
    plain = {"code": wanted.code, "severity": wanted.severity}
    rows = rows.filter(**{name: value for name, value in plain.items() if value})
    if wanted.state:
        rows = rows.filter(dismissed_at__isnull=wanted.state == OPEN)
    found: FindingQuerySet = rows.select_related(
        "revision__translation__item__subject", "dismissed_by"
    )
    return found


def systems_of(project: Project) -> list[str]:
    """Return the names of the systems that translated items of a project, in alphabetical order.

    They come from the project's sources, of which every system has one, and not from its texts, so
    that this takes no longer in a project with more items.
    """
    rows = Source.objects.filter(project=project).exclude(system="").order_by("system")
    return list(rows.values_list("system", flat=True).distinct())


def findings_of(project: Project, system: str = "") -> FindingQuerySet:
    """Return findings on the current texts of one system; without a system, on those under review."""
    if not system:
        return findings_under_review(project)
    rows: FindingQuerySet = Finding.objects.filter(
        revision__translation__item__project=project,
        revision__translation__current_revision=F("revision"),
        revision__translation__system=system,
    )
    return rows


def findings_under_review(project: Project) -> FindingQuerySet:
    """Return findings on the current text of each item's working translation, with the item loaded."""
    rows: FindingQuerySet = Finding.objects.filter(
        revision__translation__item__project=project,
        revision__translation__current_revision=F("revision"),
        revision__translation__item__working_translation=F("revision__translation"),
    )
    return rows


def title_of(code: str) -> str:
    """Return the short title of a check; its code where there is none."""
    return title(code, gettext)


def explanation_of(code: str, level: int = 2) -> str:
    """Return what the page of a check says, in Markdown; '' for a code that no check has any more.

    Its headings are of `level`.
    """
    return explanation(KINDS[code], gettext, level) if code in KINDS else ""
