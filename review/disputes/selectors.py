"""How pages and the API reach a dispute and a second look: within what a person may see."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from projects.enums import Role
from projects.rules import role_in
from projects.selectors import check_right, project_for
from review.enums import PanelState
from review.models import (
    Inquiry,
    Panel,
)
from review.selectors import refuse_strangers

_JUDGED_OR_WRITTEN = _("You judged or wrote this text, so another senior must settle the dispute.")


def panel_by_id(user: User, pk: int) -> Panel:
    """A panel that `user` may settle. Raises as `round_by_id` does."""
    panel = get_object_or_404(_decided_panels(), pk=pk)
    refuse_strangers(user, panel.round.project)
    return _to_settle(user, panel)


def dispute_by_id(user: User, pk: int, permission: str) -> Panel:
    """A panel that is decided, if `user` has `permission` in its project. Raises as `round_by_id`."""
    panel = get_object_or_404(_decided_panels(), pk=pk)
    refuse_strangers(user, panel.round.project)
    check_right(user, panel.round.project, permission)
    return panel


def panel_for(user: User, slug: str, pk: int) -> Panel:
    """The panel of a page that `user` may settle. Raises what `project_for` raises."""
    project = project_for(user, slug, "review.view_disputes")
    rows = _decided_panels().filter(round__project=project)
    panel = get_object_or_404(rows, pk=pk)
    panel.round.project = panel.item.project = project
    return _to_settle(user, panel)


def _decided_panels() -> QuerySet[Panel]:
    return Panel.objects.exclude(state=PanelState.JUDGING).select_related(
        "round__project",
        "round__guideline",
        "item__subject",
        "revision__translation__current_revision",
    )


def _to_settle(user: User, panel: Panel) -> Panel:
    if not user.has_perm("review.adjudicate_panel", panel):
        raise _refusal(user, panel)
    return panel


def _refusal(user: User, panel: Panel) -> PermissionDenied:
    """Why `user` may not settle or read a dispute, where another role would not help."""
    project = panel.round.project
    if role_in(user, project) != Role.SENIOR:
        return PermissionDenied()
    check_right(user, project, "review.view_disputes")  # while keys are hidden, waiting helps
    return PermissionDenied(str(_JUDGED_OR_WRITTEN))


def panel_to_read(user: User, slug: str, pk: int) -> tuple[Panel, bool]:
    """The panel of a page that `user` may read, and whether they may settle it.

    Raises what `project_for` raises.
    """
    project = project_for(user, slug, "review.view_disputes")
    panel = get_object_or_404(_decided_panels().filter(round__project=project), pk=pk)
    panel.round.project = panel.item.project = project
    can_settle = user.has_perm("review.adjudicate_panel", panel)
    if not can_settle and not user.has_perm("review.read_dispute", panel):
        raise _refusal(user, panel)
    return panel, can_settle


def dispute_to_read(user: User, pk: int) -> Panel:
    """A panel of an address of the API that `user` may read. Raises as `round_by_id` does."""
    panel = get_object_or_404(_decided_panels(), pk=pk)
    refuse_strangers(user, panel.round.project)
    if not user.has_perm("review.read_dispute", panel):
        raise _refusal(user, panel)
    return panel


def second_look_by_id(user: User, pk: int) -> Inquiry:
    """A second look that was asked of `user`; others do not learn that it exists."""
    rows = Inquiry.objects.select_related(
        "judgement__reviewer",
        "judgement__assignment",
        "panel__round__project",
        "panel__round__guideline",
        "panel__item__subject",
        "panel__revision__translation__current_revision",
    )
    inquiry = get_object_or_404(rows, pk=pk)
    if not user.has_perm("review.answer_second_look", inquiry):
        raise Http404
    return inquiry
