"""The job kind of this app: asking the judges of an arena, and counting."""

from django.utils.translation import gettext_lazy as _

from arena.actions.arenas import ARENA_KIND, refuse_resuming
from arena.job_page import arena_page
from jobs.enums import Queue
from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project

register_kind(
    JobKind(
        name=ARENA_KIND,
        title=_("Judging of an arena"),
        work="arena.execution.perform_judging",
        queue=Queue.CALLS,
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="arena.create_arena",
        on_resume=refuse_resuming,
        page=arena_page,
        section="runs",
    )
)
