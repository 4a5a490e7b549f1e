"""Passages for the guideline that come from adjudications: seniors propose them, managers decide."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from common.reasons import checked_reason
from projects.models import Project
from review.guidelines.actions.guidelines import create_guideline
from review.models import Adjudication, Guideline, Passage


class PassageProposed(DomainError):
    code = "passage_proposed"
    detail = _("A passage from this adjudication is already waiting for a manager.")


class PassageDecided(DomainError):
    code = "passage_decided"
    detail = _("Somebody has decided on this passage already.")


class AdjudicationWithdrawn(DomainError):
    code = "adjudication_withdrawn"
    detail = _("This decision was taken back, so the guideline cannot follow it.")


@transaction.atomic
def propose_passage(
    *, adjudication: Adjudication, text: str, actor: User, now: datetime
) -> Passage:
    """Propose a passage that says what an adjudication decided. Raises ReasonMissing, ReasonTooLong,

    TextInvalid, AdjudicationWithdrawn, PassageProposed.
    """
    text = checked_reason(text)
    if adjudication.panel.adjudication_id != adjudication.pk:
        raise AdjudicationWithdrawn
    try:
        with transaction.atomic():
            passage = Passage.objects.create(
                adjudication=adjudication, text=text, proposed_by=actor, proposed_at=now
            )
    except IntegrityError as error:
        raise PassageProposed from error
    _record("guideline.passage-proposed", passage, actor, now)
    return passage


@transaction.atomic
def accept_passage(*, passage: Passage, actor: User, now: datetime) -> Guideline:
    """Add the passage to the latest guideline, as the next version of it.

    Rounds that are open keep theirs. Raises PassageDecided, GuidelineOutdated.
    """
    _decide(passage, actor, now)
    latest = _project_of(passage).guidelines.order_by("-version")[0]
    guideline = create_guideline(
        project=_project_of(passage),
        text=f"{latest.text.rstrip()}\n\n{passage.text}\n",
        rubric=latest.rubric,
        actor=actor,
        now=now,
    )
    Passage.objects.filter(pk=passage.pk).update(guideline=guideline)
    return guideline


@transaction.atomic
def decline_passage(*, passage: Passage, actor: User, now: datetime) -> None:
    """Leave the guideline as it is. Raises PassageDecided."""
    _decide(passage, actor, now)
    _record("guideline.passage-declined", passage, actor, now)


def _decide(passage: Passage, actor: User, now: datetime) -> None:
    rows = Passage.objects.filter(pk=passage.pk, decided_at=None)
    if not rows.update(decided_by=actor, decided_at=now):
        raise PassageDecided


def _project_of(passage: Passage) -> Project:
    return passage.adjudication.panel.round.project


def _record(verb: str, passage: Passage, actor: User, now: datetime) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"passage:{passage.pk}",
        scope=_project_of(passage).slug,
        data={"item": passage.adjudication.panel.item.uid, "text": passage.text},
        now=now,
    )
