"""Pages about a release that a later app has, such as its leaderboard; the release's own pages link to them.

The app declares them in a module named `release_links`, which is read when Django starts.
"""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.models import User
from releases.models import Release


@dataclass(frozen=True, slots=True)
class ReleaseLink:
    """A page as a button shows it."""

    label: str
    url: str


LinksOf = Callable[[Release, User | None], list[ReleaseLink]]
"""Release and reader → the pages that they may see; None is everybody, with an account or without."""

_declared: list[LinksOf] = []


def declare_release_links(links_of: LinksOf) -> None:
    """Show what `links_of` returns on the pages of each published release."""
    _declared.append(links_of)


def release_links(release: Release, user: User | None = None) -> list[ReleaseLink]:
    """Return the pages of later apps about a published release that `user`, or everybody, may see."""
    return [link for links_of in _declared for link in links_of(release, user)]
