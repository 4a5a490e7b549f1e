"""The job kinds of this app, with a queue of their own: nobody waits for strangers, nor they for us."""

from django.utils.translation import gettext_lazy as _

from jobs.enums import Queue
from jobs.kinds import JobKind, register_kind
from jobs.models import Job
from projects.selectors import find_project
from submissions.actions.endpoints import ENDPOINT_KIND, end_endpoint_submission_of
from submissions.actions.rescoring import RESCORING_KIND, is_latest_rescoring, refuse_overtaken
from submissions.actions.sending import SUBMISSION_KIND, end_submission_of


def _is_over(_job: Job) -> bool:
    """A stopped submission has given its quota back: its sender sends it again."""
    return False


register_kind(
    JobKind(
        name=SUBMISSION_KIND,
        title=_("Scoring of a submission"),
        work="submissions.actions.scoring.perform_submission",
        find_scope=find_project,
        view_permission="submissions.change_submissions",
        manage_permission="submissions.change_submissions",
        queue=Queue.SUBMISSIONS,
        on_stop=end_submission_of,
        can_resume=_is_over,
    )
)
register_kind(
    JobKind(
        name=ENDPOINT_KIND,
        title=_("Questions to a team's endpoint"),
        work="submissions.actions.asking.perform_endpoint_submission",
        find_scope=find_project,
        view_permission="submissions.change_submissions",
        manage_permission="submissions.change_submissions",
        queue=Queue.SUBMISSION_CALLS,
        on_stop=end_endpoint_submission_of,
        can_resume=_is_over,
    )
)
register_kind(
    JobKind(
        name=RESCORING_KIND,
        title=_("Scoring of submissions with corrected keys"),
        work="submissions.actions.rescoring.perform_rescoring",
        find_scope=find_project,
        view_permission="submissions.change_submissions",
        manage_permission="submissions.change_submissions",
        queue=Queue.SUBMISSIONS,
        on_resume=refuse_overtaken,
        can_resume=is_latest_rescoring,
    )
)
