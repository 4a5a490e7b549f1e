"""Keeping what a reviewer wrote when it came too late for a judgement."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from review.enums import Verdict
from review.idempotency import IdempotencyKeyReused
from review.limits import LONGEST_TEXT
from review.models import Assignment, ExpiredClaim, Judgement, Panel, Skip, Suggestion
from review.outcomes import Correction
from review.seats.refusals import RoundClosed

LONGEST_REASON = 40


class SuggestionNotYours(DomainError):
    code = "suggestion_not_yours"
    detail = _("You did not have this item, so you cannot leave a suggestion for it.")
    status = 403


class SuggestionInvalid(DomainError):
    code = "suggestion_invalid"
    detail = _("A suggestion needs a corrected text or a comment.")
    status = 400


class SuggestionKeyReused(IdempotencyKeyReused):
    detail = _(
        "This idempotency key was used for another suggestion. Use a new key for each suggestion."
    )


def keep_suggestion(
    *,
    assignment: Assignment,
    reviewer: User,
    verdict: str,
    correction: Correction | None,
    comment: str,
    reason: str,
    idempotency_key: str,
    now: datetime,
) -> Suggestion:
    """Store what `reviewer` would have judged, for the senior and for whoever judges the item next.

    Only for people who had the seat's item: held, judged, skipped or lost it. It changes no figure
    and no outcome. The same idempotency key again returns the suggestion stored first.

    Raises SuggestionInvalid, SuggestionNotYours, RoundClosed, SuggestionKeyReused where another
    item has the suggestion of that key.
    """
    comment = comment.strip()
    _check(verdict, correction, comment)
    if not _had_item(assignment, reviewer):
        raise SuggestionNotYours
    try:
        with transaction.atomic():
            revision = _locked_panel(assignment).revision
            return Suggestion.objects.create(
                panel_id=assignment.panel_id,
                revision=revision,
                author=reviewer,
                verdict=verdict,
                correction=correction.in_full(revision).as_json() if correction else None,
                comment=comment,
                reason=reason[:LONGEST_REASON],
                idempotency_key=idempotency_key,
                created_at=now,
            )
    except IntegrityError:  # sent before
        stored = Suggestion.objects.get(author=reviewer, idempotency_key=idempotency_key)
        if stored.panel_id != assignment.panel_id:
            raise SuggestionKeyReused from None
        return stored


def _check(verdict: str, correction: Correction | None, comment: str) -> None:
    if verdict and verdict not in Verdict.values:
        raise SuggestionInvalid(fields={"verdict": [str(_("Choose approve, revise or reject."))]})
    if correction is None and not comment:
        raise SuggestionInvalid
    texts = [comment, *(text for _field, text in correction.texts())] if correction else [comment]
    if sum(map(len, texts)) > LONGEST_TEXT:
        raise SuggestionInvalid(fields={"correction": [str(_("The text is too long."))]})


def _locked_panel(assignment: Assignment) -> Panel:
    """The panel, locked so that its round is not discarded meanwhile. Raises RoundClosed."""
    rows = Panel.with_controls.select_for_update(of=("self",), no_key=True)
    panel: Panel | None = rows.select_related("revision").filter(pk=assignment.panel_id).first()
    if panel is None:
        raise RoundClosed
    return panel


def _had_item(assignment: Assignment, reviewer: User) -> bool:
    if assignment.reviewer_id == reviewer.pk:
        return True
    panel = assignment.panel_id
    return (
        ExpiredClaim.objects.filter(assignment__panel=panel, reviewer=reviewer).exists()
        or Judgement.all_rows.filter(panel=panel, reviewer=reviewer).exists()
        or Skip.objects.filter(panel=panel, reviewer=reviewer).exists()
    )
