"""Naming somebody who settles a dispute that no senior may settle."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from common.reasons import checked_reason
from review.actions.adjudication import DisputeSettled
from review.enums import PanelState
from review.models import Panel, Substitute
from review.substitution import blocked_disputes, candidates_for


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


@transaction.atomic
def name_substitute(
    *, panel: Panel, user: User, note: str, actor: User, now: datetime
) -> Substitute:
    """Let `user` settle one dispute, with a note on why; the audit event keeps it.

    Keyed by (panel, user). Raises ReasonMissing, ReasonTooLong, TextInvalid, DisputeSettled,
    SubstituteNotNeeded, SubstituteUnfit.
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
        data={"item": panel.item.uid, "substitute": user.email, "note": note},
        now=now,
    )
    return named
