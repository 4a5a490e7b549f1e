"""The kinds of job of this app: opening large rounds, freezing their tables, and reliability."""

from django.utils.translation import gettext_lazy as _

from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project
from review.actions.opening import remove_opening_of
from review.actions.reliability import RELIABILITY_KIND, TooFewVerdicts
from review.actions.rounds import OPENING_KIND
from review.actions.tables import TABLES_KIND

register_kind(
    JobKind(
        name=OPENING_KIND,
        title=_("Opening a round"),
        work="review.actions.opening.perform_opening",
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
        work="review.actions.reliability.perform_reliability",
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
        work="review.actions.tables.perform_freezing",
        find_scope=find_project,
        view_permission="review.view_report",
        manage_permission="review.close_round",
        section="report",
    )
)
