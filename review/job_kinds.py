"""The kinds of job of this app: large rounds, their tables, reliability, choices and repairs of texts."""

from django.utils.translation import gettext_lazy as _

from annotation.asking.job_kinds import register_asking
from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project
from review.bulk.actions import BULK_KIND, record_what_is_done, refuse_undone
from review.bulk.job_page import bulk_page
from review.choosing.actions.choosing import ChoiceFixed
from review.choosing.actions.jobs import can_go_on, refuse_going_on
from review.choosing.job_page import choosing_page, undoing_page
from review.explaining.actions import EXPLAINING
from review.repairs.actions import can_go_on as can_repair_on
from review.repairs.actions import refuse_going_on as refuse_repairing_on
from review.repairs.job_page import repair_page, repair_undo_page
from review.report.actions.reliability import RELIABILITY_KIND, TooFewVerdicts
from review.report.actions.tables import TABLES_KIND
from review.rounds.actions.choosing_guard import (
    CHOOSING_KIND,
    REPAIR_KIND,
    REPAIR_UNDO_KIND,
    UNDOING_KIND,
)
from review.rounds.actions.opening import remove_opening_of
from review.rounds.actions.rounds import OPENING_KIND

register_kind(
    JobKind(
        name=OPENING_KIND,
        title=_("Opening a round"),
        work="review.rounds.actions.opening.perform_opening",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="review.open_round",
        on_stop=remove_opening_of,
        section="rounds",
    )
)

register_kind(
    JobKind(
        name=RELIABILITY_KIND,
        title=_("Estimating the reliability of reviewers"),
        work="review.report.actions.reliability.perform_reliability",
        find_scope=find_project,
        view_permission="review.view_reviewers",
        manage_permission="review.estimate_reliability",
        final_errors=frozenset({TooFewVerdicts.code}),
        section="report",
    )
)

register_kind(
    JobKind(
        name=TABLES_KIND,
        title=_("Storing the tables of a closed round"),
        work="review.report.actions.tables.perform_freezing",
        find_scope=find_project,
        view_permission="review.view_report",
        manage_permission="review.close_round",
        section="report",
    )
)

register_kind(
    JobKind(
        name=BULK_KIND,
        title=_("Changing many items"),
        work="review.bulk.actions.perform_bulk",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="annotation.change_item",
        on_stop=record_what_is_done,
        on_resume=refuse_undone,
        section="items",
        page=bulk_page,
        template="review/bulk/includes/bulk_result.html",
    )
)

for _name, _title, _work, _page in (
    (CHOOSING_KIND, _("Choosing texts"), "perform_choosing", choosing_page),
    (UNDOING_KIND, _("Undoing a choice of texts"), "perform_undoing", undoing_page),
):
    register_kind(
        JobKind(
            name=_name,
            title=_title,
            work=f"review.choosing.actions.jobs.{_work}",
            find_scope=find_project,
            view_permission="annotation.view_items",
            manage_permission="review.choose_translation",
            on_resume=refuse_going_on,
            can_resume=can_go_on,
            final_errors=frozenset({ChoiceFixed.code}),
            section="rounds",
            page=_page,
            template="review/choosing/includes/choice_result.html",
        )
    )

for _name, _title, _work, _page in (
    (REPAIR_KIND, _("Batch repair"), "perform_repairs", repair_page),
    (REPAIR_UNDO_KIND, _("Undoing a batch repair"), "perform_undo", repair_undo_page),
):
    register_kind(
        JobKind(
            name=_name,
            title=_title,
            work=f"review.repairs.actions.{_work}",
            find_scope=find_project,
            view_permission="annotation.view_findings",
            manage_permission="annotation.edit_text",
            on_resume=refuse_repairing_on,
            can_resume=can_repair_on,
            section="findings",
            page=_page,
            template="review/choosing/includes/choice_result.html",
        )
    )
register_asking(
    EXPLAINING,
    work="review.explaining.execution.perform_explaining",
    link=_("Open the explanation job"),
    left=_("%(open)s items are left. Resume the job with a higher budget to explain them."),
)
