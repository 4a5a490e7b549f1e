"""What the page of a job shows of an import."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.imports.brought import USES, batch_of, brought_by, uses_of
from annotation.imports.queries import ERRORS_SHOWN, import_of, import_result
from annotation.models import ImportJob
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def import_page(user: User, job: Job, project: Project) -> JobPage:
    """The file's name, links to the items and to the next import, the report and its refusals."""
    import_job, report = import_of(job), import_result(job)
    if import_job is None:
        return JobPage()
    imports = reverse("annotation:import", args=[project.slug])
    return JobPage(
        heading=import_job.name,
        warning=_warning(job, report),
        breadcrumbs=[Link(_("Import"), imports)],
        links=[
            Link(_("Items"), reverse("annotation:items", args=[project.slug])),
            Link(_("Import another file"), imports),
        ],
        context={
            "import_job": import_job,
            "report": report,
            "refusals": report.get("errors", [])[:ERRORS_SHOWN],
            "refusals_left": max(0, int(report.get("refused", 0)) - ERRORS_SHOWN),
            "undo": _undo(user, job, import_job),
        },
    )


def undo_page(_user: User, job: Job, project: Project) -> JobPage:
    """The file's name, what is removed, and the way to the next import."""
    imports = reverse("annotation:import", args=[project.slug])
    return JobPage(
        heading=_("Undo the import of %(file)s") % {"file": job.params["file"]},
        breadcrumbs=[Link(_("Import"), imports)],
        links=[Link(_("Import another file"), imports)],
    )


def _undo(user: User, job: Job, import_job: ImportJob) -> dict[str, Any] | None:
    """What undoing the import would remove, or why it cannot be undone; None where it is no question."""
    if not user.has_perm("jobs.cancel_job", job):
        return None
    batch = batch_of(import_job)
    if batch is None:
        return None
    uses = [(USES[name], count) for name, count in uses_of(batch).items()]
    return {"brought": brought_by(batch), "uses": uses}


def _warning(job: Job, report: dict[str, Any]) -> tuple[str, str] | None:
    """What to say where a job is done and the file is no good: rows are refused."""
    refused, read = report.get("refused", 0), report.get("read", 0)
    is_skipping = bool(job.params.get("skip_refused"))
    if not refused or (refused < read and is_skipping):
        return None
    if refused >= read:
        return _("every row refused"), _("Every row of the file is refused. See the reasons below.")
    words = _(
        "%(refused)s of %(read)s rows are refused, so an import of this file would change nothing. "
        "Correct the rows, or import the file without them."
    )
    return _("rows refused"), words % {"refused": refused, "read": read}
