"""Read what managers say about the data set."""

from projects.models import Project
from releases.details.values import PROSE, Details, read_authors
from releases.models import ReleaseDetails


def project_details(project: Project) -> Details:
    """Return what managers say about the data set now."""
    row = ReleaseDetails.objects.filter(project=project).first()
    if row is None:
        return Details()
    said = {name: row.prose[name] for name in PROSE if row.prose.get(name)}
    authors = read_authors(row.authors)
    return Details(row.title, authors, row.doi, row.url, row.licence, said)
