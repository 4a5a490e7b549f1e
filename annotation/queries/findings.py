"""Questions about findings: how many of which code, and which."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db.models import Count, F
from django.utils.translation import gettext

from annotation.checks import ALL_CHECKS
from annotation.checks.messages import MESSAGES, title
from annotation.models import Finding, Project
from annotation.querysets import FindingQuerySet

FAMILY_OF = {check.code: check.family for check in ALL_CHECKS}
DOCS = Path("docs") / "checks"


@dataclass(frozen=True, slots=True)
class CodeCount:
    """Open findings of one code and severity, and how many items have one."""

    code: str
    title: str
    family: str
    severity: str
    finding_count: int
    item_count: int


def findings_by_code(project: Project) -> list[CodeCount]:
    """Open findings on the texts under review, errors and big numbers first; one grouped query."""
    rows = (
        findings_under_review(project)
        .open()
        .values("code", "severity")
        .annotate(n=Count("pk"), items=Count("revision", distinct=True))
        .order_by("severity", "-n", "code")
    )
    return [
        CodeCount(
            code=row["code"],
            title=title_of(row["code"]),
            family=FAMILY_OF.get(row["code"], ""),
            severity=row["severity"],
            finding_count=row["n"],
            item_count=row["items"],
        )
        for row in rows
    ]


def findings_under_review(project: Project) -> FindingQuerySet:
    """Findings on the current text of each item's working translation, with the item loaded."""
    rows: FindingQuerySet = Finding.objects.filter(
        revision__translation__item__project=project,
        revision__translation__current_revision=F("revision"),
        revision__translation__item__working_translation=F("revision__translation"),
    )
    return rows


def title_of(code: str) -> str:
    """The short title of a check; its code where there is none."""
    return title(code, gettext) if code in MESSAGES else code


def explanation_of(code: str) -> str:
    """The page of a check in Markdown; '' for a code that has none."""
    page = settings.ROOT / DOCS / f"{code}.md"
    return page.read_text(encoding="utf-8") if code in MESSAGES and page.is_file() else ""
