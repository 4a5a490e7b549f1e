"""Finds the judging of a run for requests and commands."""

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from evaluation.judging.queries import judging_of
from evaluation.models import AnswerJudging, Run


class JudgingUnknown(DomainError):
    code = "judging_unknown"
    detail = _("Run %(run)s has no judge. Choose one first.")
    status = 404


def get_judging(run: Run) -> AnswerJudging:
    """Return the judging of a run. Raises JudgingUnknown."""
    judging = judging_of(run)
    if judging is None:
        raise JudgingUnknown(run=run.pk)
    return judging
