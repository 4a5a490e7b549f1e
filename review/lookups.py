"""Finding the rounds that commands and pages name by number."""

from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from common.errors import DomainError
from review.models import Round


class RoundUnknown(DomainError):
    code = "round_unknown"
    detail = _("There is no round %(number)s in this project.")
    status = 404


def get_round(project: Project, number: int) -> Round:
    """Return round `number` of the project. Raises RoundUnknown."""
    round_ = (
        Round.objects.filter(project=project, number=number)
        .select_related("project", "guideline")
        .first()
    )
    if round_ is None:
        raise RoundUnknown(number=number)
    return round_
