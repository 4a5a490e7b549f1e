"""Naming somebody who settles the disputes that no senior may settle."""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from common.reasons import checked_reason
from review.disputes.actions.adjudication import DisputeSettled
from review.disputes.substitution import blocked_disputes, candidates_for
from review.enums import PanelState
from review.models import Panel, Round, Substitute

AT_ONCE = 200


class SubstituteNotNeeded(DomainError):
    code = "substitute_not_needed"
    detail = _("A senior can settle this dispute, or somebody was named for it already.")


class SubstituteUnfit(DomainError):
    code = "substitute_unfit"
    detail = _(
        "This person cannot settle the dispute. Choose a member of the project who reads the "
        "target language, is not paused, and neither judged nor wrote the text."
    )
    status = 400


@dataclass(frozen=True, slots=True)
class SubstitutesNamed:
    """For how many disputes of a round somebody was named, and how many still lack a senior."""

    named: int
    left: int


def name_substitutes(
    *, round_: Round, user: User, note: str, actor: User, now: datetime
) -> SubstitutesNamed:
    """Let `user` settle up to AT_ONCE disputes of a round that no senior may settle, with one note.

    Each is named by `name_substitute` in a transaction of its own. Disputes about a text that the
    person judged or wrote are left to somebody else.
    Raises ReasonMissing, ReasonTooLong, TextInvalid, SubstituteUnfit if there is no dispute for them.
    """
    note = checked_reason(note)
    blocked = blocked_disputes(round_.project).filter(round=round_)
    panels = list(blocked.order_by("-severity", "pk")[:AT_ONCE])
    candidates = candidates_for(round_.project, panels)
    bulk = f"{actor.pk}-{now:%Y%m%d%H%M%S%f}"
    named = 0
    for panel in panels:
        if user not in candidates[panel.pk]:
            continue
        panel.round = round_
        try:
            name_substitute(panel=panel, user=user, note=note, actor=actor, now=now, bulk=bulk)
        except (DisputeSettled, SubstituteNotNeeded, SubstituteUnfit):
            continue  # somebody was quicker
        named += 1
    if not named:
        raise SubstituteUnfit
    return SubstitutesNamed(named, blocked.count())


@transaction.atomic
def name_substitute(
    *, panel: Panel, user: User, note: str, actor: User, now: datetime, bulk: str = ""
) -> Substitute:
    """Let `user` settle one dispute, with a note on why; the audit event keeps it.

    `bulk` names the act that this is part of: the person is told of it once. Keyed by (panel, user).
    Raises ReasonMissing, ReasonTooLong, TextInvalid, DisputeSettled, SubstituteNotNeeded,
    SubstituteUnfit.
    """
    note = checked_reason(note)
    project = panel.round.project
    if not Panel.objects.filter(pk=panel.pk, state=PanelState.DISPUTED).exists():
        raise DisputeSettled
    if not blocked_disputes(project).filter(pk=panel.pk).exists():
        raise SubstituteNotNeeded
    if user not in candidates_for(project, [panel])[panel.pk]:
        raise SubstituteUnfit
    try:
        with transaction.atomic():
            named = Substitute.objects.create(
                panel=panel, user=user, named_by=actor, note=note, named_at=now
            )
    except IntegrityError as error:
        raise SubstituteNotNeeded from error
    record_event(
        actor=actor,
        verb="panel.substitute-named",
        target=f"panel:{panel.pk}",
        scope=project.slug,
        data={"item": panel.item.uid, "substitute": user.email, "note": note}
        | ({"bulk": bulk} if bulk else {}),
        now=now,
    )
    return named
