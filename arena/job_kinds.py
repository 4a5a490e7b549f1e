"""The kinds of job of this app: asking the judges of an arena, and counting alone."""

from django.utils.translation import gettext_lazy as _

from arena.actions.arenas import ARENA_KIND, refuse_resuming
from arena.actions.recounting import COUNT_KIND
from arena.job_page import arena_page, can_go_on
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
        can_resume=can_go_on,
        page=arena_page,
        section="runs",
    )
)

register_kind(
    JobKind(
        name=COUNT_KIND,
        title=_("Counting of an arena"),
        work="arena.execution.perform_counting",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="arena.create_arena",
        can_resume=can_go_on,
        page=arena_page,
        section="runs",
    )
)
