"""Find a problem report for those who may decide it."""

from django.shortcuts import get_object_or_404

from accounts.models import User
from projects.selectors import project_for
from releases.models import ProblemReport
from releases.problems.queries import problem_reports


def problem_for(user: User, slug: str, pk: int) -> ProblemReport:
    """Return the report if `user` may decide it. Raises Http404, PermissionDenied."""
    project = project_for(user, slug, "releases.decide_problem")
    found: ProblemReport = get_object_or_404(problem_reports(project), pk=pk)
    return found
