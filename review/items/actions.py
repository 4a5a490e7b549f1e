"""Changing the text of an item by hand, outside of a panel."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.enums import Origin
from annotation.items.revisions import RevisionUnchanged, create_revision
from annotation.models import Item, Revision
from common.errors import DomainError
from review.enums import PanelState
from review.models import Panel
from review.outcomes import Correction
from review.workbench.actions.judgements import check_correction
from review.workbench.actions.numbers import changed_numbers, refuse_unconfirmed


class TextBeingJudged(DomainError):
    code = "text_being_judged"
    detail = _(
        "Reviewers are judging this text in round %(round)s. Change it when they are done, or "
        "close the round first."
    )


class TextInDispute(DomainError):
    code = "text_in_dispute"
    detail = _(
        "This text is in dispute in round %(round)s. A senior changes it by settling the dispute."
    )


@transaction.atomic
def edit_text(
    *,
    item: Item,
    base: Revision,
    question: str,
    options: Sequence[str],
    actor: User,
    now: datetime,
    answer: str | None = None,
    explanation: str | None = None,
    numbers_confirmed: bool = False,
) -> Revision:
    """Supersede `base`, the text that `actor` saw, by what they typed; it waits for review.

    An `answer` or `explanation` of None stays as it is.

    If a round opens at the same moment, its panel is on the old text, and its reviewers are told
    that the text changed. Raises TextBeingJudged, TextInDispute, JudgementInvalid, NumbersUnconfirmed,
    RevisionUnchanged, RevisionStale.
    """
    if obstacle := obstacle_to_editing(item):
        raise obstacle
    text = Correction(question, tuple(options), answer, explanation).in_full(base)
    if text == Correction.of(base):
        raise RevisionUnchanged
    check_correction(text, base, len(item.options))
    changes = changed_numbers(text, item, base, item.project)
    refuse_unconfirmed(changes, is_confirmed=numbers_confirmed)
    return create_revision(
        base=base,
        question=text.question,
        options=text.options,
        **dict(text.further()),
        origin=Origin.HUMAN,
        author=actor,
        now=now,
        numbers_confirmed=bool(changes),
    )


def obstacle_to_editing(item: Item) -> DomainError | None:
    """Why the text of the item can't be changed by hand now: a panel on it is not decided."""
    states = [PanelState.JUDGING, PanelState.DISPUTED]
    rows = Panel.objects.filter(item=item, state__in=states).select_related("round")
    panel = rows.order_by("-round__number", "pk").first()
    if panel is None:
        return None
    is_judging = panel.state == PanelState.JUDGING
    return (TextBeingJudged if is_judging else TextInDispute)(round=panel.round.number)
