"""The kind of job of this app: building a release."""

from django.utils.translation import gettext_lazy as _

from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project
from releases.actions.requests import BUILD_KIND, fail_build_of, reopen_build_of
from releases.job_page import build_page

register_kind(
    JobKind(
        name=BUILD_KIND,
        title=_("Release build"),
        work="releases.actions.building.perform_build",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="releases.build_release",
        on_stop=fail_build_of,
        on_resume=reopen_build_of,
        section="releases",
        page=build_page,
    )
)
