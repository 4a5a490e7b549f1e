"""The overview of a project in words: the steps of its funnel and the rows of its stages."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from config.overview.queries import Funnel
from projects.models import Project
from review.figures.stages import StageFigures
from review.report.labels import stage_name
from review.report.rows import Stage


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the funnel: how many items are so far, and the page that lists them."""

    label: str
    value: int
    url: str
    note: str = ""
    tone: str = ""


def funnel_steps(project: Project, funnel: Funnel, user: User) -> list[Step]:
    """Return the steps of the funnel, with links to the pages that `user` may open."""
    imported, findings, rounds, releases = (
        reverse(name, args=[project.slug])
        for name in ("annotation:items", "annotation:findings", "review:rounds", "releases:list")
    )
    approved = f"{imported}?state=approved"
    if not user.has_perm("annotation.view_items", project):
        imported = findings = approved = ""
    left_out = ""
    if funnel.excluded:
        left_out = _("%(count)s excluded since") % {"count": funnel.excluded}
    with_errors = _("%(count)s with errors") % {"count": funnel.with_errors}
    released = _("released")
    if funnel.release:
        released = _("in release %(version)s") % {"version": funnel.release.version}
    return [
        Step(_("imported"), funnel.items, imported, note=left_out),
        Step(_("without errors"), funnel.clean, findings, note=with_errors),
        Step(_("judged"), funnel.judged, rounds),
        Step(_("approved"), funnel.approved, approved),
        Step(released, funnel.in_release, releases, tone="good"),
    ]


def stage_rows(slug: str, stages: Sequence[Stage]) -> list[tuple[str, StageFigures, str]]:
    """Return name, figures and page of each stage."""
    return [
        (stage_name(each.name), each.figures, reverse("review:round", args=[slug, each.round]))
        for each in stages
    ]
