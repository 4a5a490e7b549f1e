"""Finds the Min-k % test of a run for requests and commands."""

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from evaluation.contamination.queries import min_k_of
from evaluation.models import MinKTest, Run


class MinKUnknown(DomainError):
    code = "min_k_unknown"
    detail = _("Run %(run)s has no Min-k %% test. Start one first.")
    status = 404


def get_min_k(run: Run) -> MinKTest:
    """Return the test of a run. Raises MinKUnknown."""
    test = min_k_of(run)
    if test is None:
        raise MinKUnknown(run=run.pk)
    return test
