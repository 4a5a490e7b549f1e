"""The rights to build releases, to publish them and to read their files."""

import rules

from accounts.models import User
from projects.rules import can_lead, is_manager, is_member, may_see_keys
from releases.enums import ReleaseState
from releases.models import Release


@rules.predicate
def can_see_release(user: User, release: Release | None) -> bool:
    """Let members see what is or was published, and managers also what is not yet.

    Releases have keys, so they are closed to those whom an open solving round asks.
    """
    if release is None or not may_see_keys(user, release.project):
        return False
    if release.state in (ReleaseState.PUBLISHED, ReleaseState.YANKED):
        return bool(is_member(user, release.project))
    return bool(is_manager(user, release.project))


@rules.predicate
def can_change_release(user: User, release: Release | None) -> bool:
    return release is not None and bool(is_manager(user, release.project))


rules.add_perm("releases.view_releases", is_member)
rules.add_perm("releases.view_release", can_see_release)
rules.add_perm("releases.build_release", is_manager)
rules.add_perm("releases.view_build", can_change_release)
rules.add_perm("releases.cancel_build", can_change_release)
rules.add_perm("releases.resume_build", can_change_release)
rules.add_perm("releases.publish_release", can_change_release)
rules.add_perm("releases.yank_release", can_change_release)
rules.add_perm("releases.change_audience", can_change_release)
rules.add_perm("releases.decide_problem", can_lead)
