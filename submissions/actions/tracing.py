"""Tell from which team's endpoint a leaked text comes, by the orders of options that it was asked."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from releases.models import Release, ReleaseItem
from submissions.actions.audit import record
from submissions.asked_orders import (
    AskedOrders,
    AskedText,
    keys_asked,
    releases_up_to,
    teams_asked,
    texts_asked,
)
from submissions.false_keys import LEVEL
from submissions.leak_texts import Question, orders_in
from submissions.marks import Evidence, Seen, weigh
from submissions.models import Team

MOST_LEAKED = 20_000_000
SMALLEST = 1e-12
"""Smaller chances are not told apart."""


class LeakTooLarge(DomainError):
    code = "leak_too_large"
    detail = _("The file is larger than %(limit)s MB. Split it and upload the parts one by one.")
    status = 413


class LeakUnreadable(DomainError):
    code = "leak_unreadable"
    detail = _("The file is not UTF-8 text. Save it as JSONL, CSV or plain text in UTF-8.")
    status = 400


class NobodyAsked(DomainError):
    code = "no_endpoint_asked"
    detail = _(
        "No team's endpoint was asked questions of version %(version)s in an order of its own, so "
        "there is no team to find. Choose a version whose questions endpoints were asked."
    )


@dataclass(frozen=True, slots=True)
class TeamTrace:
    """What a text says about one team."""

    team: Team
    evidence: Evidence

    @property
    def is_named(self) -> bool:
        """Return whether a text that does not come from the team hardly ever says as much."""
        return self.evidence.chance <= LEVEL

    @property
    def shown_chance(self) -> str:
        """Return the chance with two digits."""
        chance = self.evidence.chance
        return f"{chance:.2g}" if chance >= SMALLEST else f"< {SMALLEST:.0g}"


@dataclass(frozen=True, slots=True)
class LeakTrace:
    """How many `items` with options stand in a text with all of these, and what it says of each team."""

    found: int
    items: int
    teams: Sequence[TeamTrace]

    @property
    def named(self) -> Sequence[TeamTrace]:
        return [each for each in self.teams if each.is_named]


def trace_leak(*, release: Release, content: bytes, actor: User, now: datetime) -> LeakTrace:
    """Weigh a text against each team whose endpoint was asked hidden questions of the release.

    Those of earlier versions with the same items count too. The teams with the smallest chance come
    first. Nothing of the text is stored; an audit row says that somebody looked. Raises LeakTooLarge,
    LeakUnreadable, NobodyAsked.
    """
    text = _decoded(content)
    releases = releases_up_to(release)
    teams = teams_asked(releases)
    if not teams:
        raise NobodyAsked(version=release.version)
    texts = texts_asked(releases, release)
    questions = {each: Question(each.question, each.options) for each in texts}
    found = _Found(releases, orders_in(text, questions))
    trace = LeakTrace(
        found=len({each.item for each in found.orders}),
        items=len({each.item for each in texts if each.options}),
        teams=sorted(
            (TeamTrace(team, found.evidence(team, teams=len(teams))) for team in teams),
            key=lambda each: (each.evidence.chance, each.team.name),
        ),
    )
    data = {
        "version": release.version,
        "found": trace.found,
        "teams": [each.team.pk for each in trace.named],
    }
    target = f"release:{release.pk}"
    record("submissions.leak_traced", target, release.project, data, actor, now)
    return trace


def _decoded(content: bytes) -> str:
    if len(content) > MOST_LEAKED:
        raise LeakTooLarge(limit=MOST_LEAKED // 1_000_000)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LeakUnreadable from error


class _Found:
    """The questions of some releases that stand in a text, with the orders of their options there."""

    def __init__(
        self, releases: Sequence[Release], orders: Mapping[AskedText, Collection[str]]
    ) -> None:
        self.orders = orders
        self._releases = releases
        self._texts = {key: each for each in orders for key in each.keys}
        rows = ReleaseItem.objects.filter(pk__among=self._texts)
        self._own = AskedOrders(releases[0].project, rows)

    def evidence(self, team: Team, *, teams: int) -> Evidence:
        """Weigh what the team's endpoints were asked in an order of its own."""
        own = self._own.of(team)
        seen: dict[int, dict[AskedText, Seen]] = defaultdict(dict)
        for key in keys_asked(team, self._releases, own):
            text = self._texts[key]
            seen[text.item][text] = Seen(own[key], self.orders[text])
        return weigh([[*each.values()] for each in seen.values()], teams=teams)
