"""What the pages of a release link to: its leaderboard, and where its answers are sent."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from leaderboards.access import VIEW
from releases.links import ReleaseLink, declare_release_links
from releases.models import Release
from submissions.queries import policy_of
from submissions.selectors import is_taking


def board_links(release: Release, user: User | None) -> list[ReleaseLink]:
    policy, address = policy_of(release.project), [release.project.slug, release.version]
    found = []
    if policy.is_board_public or (user and user.has_perm(VIEW, release)):
        found.append(ReleaseLink(_("Leaderboard"), reverse("leaderboards:board", args=address)))
    if is_taking(release, policy):
        url = reverse("submissions:part", args=address)
        found.append(ReleaseLink(_("Send a model’s answers"), url))
    return found


declare_release_links(board_links)
