"""The kinds of job of this app: building a release, and publishing one on the Hub."""

from django.utils.translation import gettext_lazy as _

from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project
from releases.building.actions import BUILD_KIND, fail_build_of, reopen_build_of
from releases.building.job_page import build_page
from releases.hub.actions import HUB_KIND
from releases.hub.job_page import hub_job_page

register_kind(
    JobKind(
        name=BUILD_KIND,
        title=_("Release build"),
        work="releases.building.build.perform_build",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="releases.build_release",
        on_stop=fail_build_of,
        on_resume=reopen_build_of,
        section="releases",
        page=build_page,
    )
)

register_kind(
    JobKind(
        name=HUB_KIND,
        title=_("Publishing on the Hugging Face Hub"),
        work="releases.hub.actions.perform_hub_publishing",
        find_scope=find_project,
        view_permission="releases.build_release",
        manage_permission="releases.build_release",
        section="releases",
        template="releases/hub/includes/result.html",
        page=hub_job_page,
    )
)
