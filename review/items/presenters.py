"""A text changed by hand, made ready for a template."""

from annotation.checks.actions import findings_for
from annotation.checks.presenters import in_words, open_findings
from annotation.items.queries import current_revision
from annotation.items.text_rows import TextRow, text_rows
from annotation.models import Item, Revision
from review.outcomes import Correction
from review.workbench.text_checks import as_revision


def edit_rows(item: Item) -> list[TextRow]:
    """The text as it stands, with its open findings."""
    revision = current_revision(item)
    findings = open_findings(revision.pk) if revision else []
    return text_rows(item, revision, findings, option_count=len(item.options))


def checked_rows(item: Item, typed: Correction) -> list[TextRow]:
    """The text as it was typed, with what the checks say of it; nothing is stored."""
    current = current_revision(item)
    text = as_revision(typed.in_full(current) if current else typed, current or Revision())
    found = findings_for(item=item, revision=text, project=item.project, now=item.created_at)
    return text_rows(item, text, in_words(found), option_count=len(item.options))
