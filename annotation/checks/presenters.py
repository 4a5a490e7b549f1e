"""Findings as pages and the API show them: in words, the worst first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.checks.catalogue.labels import describe
from annotation.checks.causes import Cause, Found, Span, causes_of
from annotation.enums import Severity
from annotation.models import Finding, Item, Revision
from annotation.text_fields import FURTHER_FIELDS
from common.prepared import prepared
from languages.letters import letter_of

_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding in words; `start` and `end` count code points in its field.

    Where several with one cause are one, `pk` is 0 and `spans` are the places of all.
    """

    pk: int
    code: str
    severity: str
    field: str
    start: int
    end: int
    message: str
    dismissed_at: datetime | None
    dismissed_by: str
    dismissal_reason: str
    spans: Sequence[Span] = ()

    @property
    def place(self) -> str:
        """The field as people see it: question, option C, whole item."""
        return place_of(self.field)

    @property
    def marked_places(self) -> str:
        """The spans as the script of the editor reads them."""
        return " ".join(f"{s.field}:{s.start}:{s.end}:{self.severity}" for s in self.spans)

    @property
    def is_dismissed(self) -> bool:
        return self.dismissed_at is not None


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding in a list: in words, with the texts of its field; `marked` is what it is about."""

    finding: Finding
    message: str
    place: str
    source_text: str
    before: str
    marked: str
    after: str


def finding_rows(findings: Iterable[Finding]) -> list[FindingRow]:
    """Return rows of a list of findings; wants the item and the revision loaded."""
    return [_finding_row(finding) for finding in findings]


def _finding_row(finding: Finding) -> FindingRow:
    revision = finding.revision
    item = revision.translation.item
    text = text_in_field(revision, finding.field)
    start, end = finding.start, min(finding.end, len(text))
    if end - start >= len(text):  # all of it is marked, which says nothing
        start = end = len(text)
    return FindingRow(
        finding=finding,
        message=describe(finding.code, finding.data, gettext),
        place=place_of(finding.field),
        source_text=text_in_field(item, finding.field),
        before=text[:start],
        marked=text[start:end],
        after=text[end:] if end > start else text[start:],
    )


def text_in_field(text: Item | Revision, field: str) -> str:
    """Return the text of a field of a finding, the question for one about the whole item."""
    name, _dot, position = field.partition(".")
    if name in FURTHER_FIELDS:
        return str(getattr(text, name))
    if name != "options":
        return text.question
    options = text.options
    return str(options[int(position)]) if int(position) < len(options) else ""


def place_of(field: str) -> str:
    """Return a field of a text as people see it: question, option C, whole item."""
    name, _dot, position = field.partition(".")
    if name == "options":
        return gettext("option %(letter)s") % {"letter": letter_of(int(position))}
    words = {
        "item": gettext("whole item"),
        "answer": gettext("answer"),
        "explanation": gettext("explanation"),
    }
    return words.get(name) or gettext("question")


def shown_findings(revision: Revision) -> list[ShownFinding]:
    """Return every finding on a text, open ones first, then the worst; one query."""
    rows = Finding.objects.filter(revision_id=revision.pk).select_related("dismissed_by")
    return in_words(rows.order_by("pk"))


def open_findings(revision_id: int) -> list[ShownFinding]:
    """Return the findings on a text that nobody dismissed, the worst first; one query."""
    return in_words(_open_findings(revision=revision_id))


def open_causes(revision: Revision) -> list[ShownFinding]:
    """Return what is wrong with a text and not dismissed, each cause once; one query."""
    return causes_in_words(_open_findings(revision=revision.pk), revision)


def causes_in_words(found: Iterable[Found], text: Revision) -> list[ShownFinding]:
    """Return what a text has wrong, each cause once, the worst first."""
    further = {name: getattr(text, name) for name in FURTHER_FIELDS}
    causes = causes_of(found, text.question, text.options, further)
    shown = [_shown_cause(cause) for cause in causes]
    return sorted(shown, key=lambda each: _ORDER[Severity(each.severity)])


def _shown_cause(cause: Cause) -> ShownFinding:
    """Return a cause at the first of its fields; the sentence names them where there are several."""
    message = describe(cause.code, cause.data, gettext)
    if len(cause.fields) > 1:
        places = ", ".join(map(place_of, cause.fields))
        places = places[0].upper() + places[1:]
        message = gettext("%(places)s: %(message)s") % {"places": places, "message": message}
    return ShownFinding(
        pk=0,
        code=cause.code,
        severity=cause.severity,
        field=cause.fields[0],
        start=cause.spans[0].start if cause.spans else 0,
        end=cause.spans[0].end if cause.spans else 0,
        message=message,
        dismissed_at=None,
        dismissed_by="",
        dismissal_reason="",
        spans=cause.spans,
    )


@prepared(revision=int)
def _open_findings(revision: int) -> QuerySet[Finding]:
    return Finding.objects.filter(revision_id=revision).open().order_by("pk")


def in_words(findings: Iterable[Finding]) -> list[ShownFinding]:
    """Return findings in words, open ones first, then the worst.

    Wants `dismissed_by` loaded where a finding is dismissed.
    """
    shown = [
        ShownFinding(
            pk=finding.pk,
            code=finding.code,
            severity=finding.severity,
            field=finding.field,
            start=finding.start,
            end=finding.end,
            message=describe(finding.code, finding.data, gettext),
            dismissed_at=finding.dismissed_at,
            dismissed_by=str(finding.dismissed_by or ""),
            dismissal_reason=finding.dismissal_reason,
        )
        for finding in findings
    ]
    return sorted(shown, key=lambda f: (f.is_dismissed, _ORDER[Severity(f.severity)]))
