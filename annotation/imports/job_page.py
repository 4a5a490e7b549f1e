"""The parts of a job's page that are about an import."""

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.imports.brought import USES, batch_of, brought_by, uses_of
from annotation.imports.queries import ERRORS_SHOWN, import_of, import_result
from annotation.imports.terms import term_import_result
from annotation.models import ImportJob
from jobs.enums import JobState
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.categories import offers
from projects.models import Project
from projects.queries import subjects_of


def import_page(user: User, job: Job, project: Project) -> JobPage:
    """Return the file's name, links to the items and to the next import, the report and its refusals."""
    import_job, report = import_of(job), import_result(job)
    if import_job is None:
        return JobPage()
    is_kept = bool(import_job.path) and user.has_perm("jobs.cancel_job", job)
    imports = reverse("annotation:import", args=[project.slug])
    return JobPage(
        heading=import_job.name,
        warning=_warning(job, report),
        breadcrumbs=[Link(_("Import"), imports)],
        links=[
            Link(_("Items"), reverse("annotation:items", args=[project.slug])),
            Link(_("Import another file"), imports),
            *_categories(user, job, project),
        ],
        context={
            "import_job": import_job,
            "report": report,
            "refusals": report.get("errors", [])[:ERRORS_SHOWN],
            "refusals_left": max(0, int(report.get("refused", 0)) - ERRORS_SHOWN),
            "undo": _undo(user, job, import_job),
            "can_import_now": is_kept and import_job.is_dry_run and job.state == JobState.DONE,
            "can_map": is_kept and job.state == JobState.FAILED,
        },
    )


def undo_page(_user: User, job: Job, project: Project) -> JobPage:
    """Return the file's name, what is removed, and the way to the next import."""
    imports = reverse("annotation:import", args=[project.slug])
    return JobPage(
        heading=_("Undo the import of %(file)s") % {"file": job.params["file"]},
        breadcrumbs=[Link(_("Import"), imports)],
        links=[Link(_("Import another file"), imports)],
    )


def term_import_page(_user: User, job: Job, project: Project) -> JobPage:
    """Return the file's name, the way back to the glossary, and the report."""
    glossary = reverse("annotation:glossary", args=[project.slug])
    imports = reverse("annotation:import-terms", args=[project.slug])
    return JobPage(
        heading=job.params["file"],
        breadcrumbs=[Link(_("Glossary"), glossary), Link(_("Import terms"), imports)],
        links=[Link(_("Glossary"), glossary), Link(_("Import another file"), imports)],
        context={"report": term_import_result(job)},
    )


def _categories(user: User, job: Job, project: Project) -> Iterator[Link]:
    """Yield the way to the subjects where a published assignment fits some without a category."""
    if job.state != JobState.DONE or not user.has_perm("projects.change_project", project):
        return
    without = subjects_of(project).filter(category="").values_list("slug", flat=True)
    if any(offers(without)):
        yield Link(_("Assign categories"), reverse("projects:subjects", args=[project.slug]))


def _undo(user: User, job: Job, import_job: ImportJob) -> dict[str, Any] | None:
    """Return what undoing would remove, or why it cannot be undone; None where nobody asks."""
    if not user.has_perm("jobs.cancel_job", job):
        return None
    batch = batch_of(import_job)
    if batch is None:
        return None
    uses = [(USES[name], count) for name, count in uses_of(batch).items()]
    return {"brought": brought_by(batch), "uses": uses}


def _warning(job: Job, report: dict[str, Any]) -> tuple[str, str] | None:
    """Return what to say where a job is done but the file is no good: rows are refused."""
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
