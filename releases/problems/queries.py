"""Find problem reports of a project, and count those that wait for a decision."""

from collections.abc import Collection

from django.db.models import Count

from projects.models import Project
from releases.models import ProblemReport
from releases.querysets import ProblemQuerySet


def problem_reports(project: Project) -> ProblemQuerySet:
    """Return the reports of the project's releases, with all that a decision needs."""
    rows: ProblemQuerySet = ProblemReport.objects.filter(release__project=project)
    related = ("release__project", "placed__item", "placed__subject", "decided_by", "mended_in")
    found: ProblemQuerySet = rows.select_related(*related)
    return found


def undecided_problem_counts(projects: Collection[Project]) -> dict[int, int]:
    """Count the reports that wait for a decision, by the id of each project that has any."""
    rows = ProblemReport.objects.undecided().filter(release__project__in=projects)
    return dict(rows.values_list("release__project").annotate(n=Count("pk")).order_by())
