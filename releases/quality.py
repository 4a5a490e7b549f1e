"""The figures of review as a release carries them."""

from typing import Any

from projects.models import Project
from review.report_queries import report


def project_quality(project: Project) -> dict[str, Any]:
    """What review's report says of the project now, as plain JSON."""
    return report(project).as_json()
