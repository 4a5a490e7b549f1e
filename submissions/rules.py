"""The rights of a project's managers over submissions; what outsiders may do is in `selectors`."""

import rules

from accounts.models import User
from projects.rules import is_manager
from releases.rules import can_change_release, can_see_release
from submissions.models import Participant, Submission


@rules.predicate
def is_of_team(user: User, submission: Submission | None) -> bool:
    if submission is None or not user.is_active:
        return False
    return Participant.objects.filter(team=submission.team_id, user=user).exists()


rules.add_perm("submissions.change_submissions", is_manager)
rules.add_perm("submissions.copy_keys", can_see_release & can_change_release)
rules.add_perm("submissions.view_board", can_see_release)
rules.add_perm("submissions.view_submission", is_of_team)
