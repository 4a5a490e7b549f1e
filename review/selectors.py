"""How pages, the API and commands of every room reach a round, within what a person may see, and a month."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from common.months import Month, parse_month
from projects.models import Project
from projects.rules import role_in
from projects.selectors import check_right, project_for
from review.models import Round


class RoundUnknown(DomainError):
    code = "round_unknown"
    detail = _("There is no round %(number)s in this project.")
    status = 404


def get_round(project: Project, number: int) -> Round:
    """Return round `number` of the project. Raises RoundUnknown."""
    rows = Round.objects.select_related("guideline", "job")
    round_ = rows.filter(project=project, number=number).first()
    if round_ is None:
        raise RoundUnknown(number=number)
    round_.project = project
    return round_


def round_for(user: User, slug: str, number: int, permission: str) -> Round:
    """The round of a page, if `user` has `permission` in its project.

    Raises what `project_for` raises, and RoundUnknown.
    """
    return get_round(project_for(user, slug, permission), number)


def round_by_id(user: User, pk: int, permission: str) -> Round:
    """The round of an address of the API, if `user` has `permission` in its project.

    Raises Http404 to strangers, who should not learn that it exists, and PermissionDenied.
    """
    rows = Round.objects.select_related("project", "guideline", "job")
    round_ = get_object_or_404(rows, pk=pk)
    refuse_strangers(user, round_.project)
    check_right(user, round_.project, permission)
    return round_


def refuse_strangers(user: User, project: Project) -> None:
    if not (user.is_superuser or role_in(user, project)):
        raise Http404


def month_at(text: str) -> Month:
    """Return the month that an address names. Raises Http404."""
    try:
        return parse_month(text)
    except ValueError as error:
        raise Http404 from error
