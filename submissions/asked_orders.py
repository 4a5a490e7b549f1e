"""What the endpoints of teams are asked, and the orders in which they see the options."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from annotation.enums import ItemKind
from common.db import JsonLength
from projects.models import Project
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from releases.option_orders import in_order
from submissions.marks import Wording, can_move, marked_order
from submissions.models import SubmissionResponse, SubmittedEndpoint, Team
from submissions.queries import hidden_items

READ_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class AskedText:
    """An item in one wording and released order, with the ids of the release items that have it."""

    item: int
    question: str
    options: tuple[str, ...]
    keys: tuple[int, ...]


class AskedOrders:
    """The orders of some released items of a project, for any of its teams.

    The texts of items are read once, and only those of items that are drawn for a team.
    """

    def __init__(self, project: Project, rows: QuerySet[ReleaseItem]) -> None:
        self._project = project
        choices = rows.filter(kind=ItemKind.CHOICE).order_by("pk")
        self._items = list(choices.values_list("pk", "item", JsonLength("revision__options")))
        self._can_move: dict[int, bool] = {}

    def of(self, team: Team) -> dict[int, str]:
        """Return the order of each release item that is marked for a team; see `marked_order`."""
        drawn = {
            pk: order
            for pk, item, count in self._items
            if (order := marked_order(team.mark_secret, item, count))
        }
        self._can_move.update(self._read(drawn.keys() - self._can_move.keys()))
        return {pk: order for pk, order in drawn.items() if self._can_move[pk]}

    def _read(self, keys: Collection[int]) -> Iterator[tuple[int, bool]]:
        """Yield whether the options of each release item may be moved, in its text and its source."""
        columns = ("pk", "option_order", "revision__question", "revision__options")
        source = ("source_question", "source_options")
        left = sorted(keys)
        for start in range(0, len(left), READ_AT_ONCE):
            rows = ReleaseItem.objects.filter(pk__among=left[start : start + READ_AT_ONCE])
            for pk, order, *texts in rows.order_by("pk").values_list(*columns, *source):
                yield pk, can_move(self._wordings(order, *texts))

    def _wordings(
        self,
        order: str,
        question: str,
        options: list[str],
        source_question: str,
        source_options: list[str],
    ) -> Iterator[Wording]:
        target, source = self._project.target_language, self._project.source_language
        yield Wording(question, in_order([*map(str, options)], order), target)
        if source_options:
            yield Wording(source_question, in_order([*map(str, source_options)], order), source)


def releases_up_to(release: Release) -> list[Release]:
    """Return the release and the earlier versions of its project."""
    rows = Release.objects.standing().filter(project=release.project_id).select_related("project")
    return [each for each in rows.order_by("pk") if each.precedence <= release.precedence]


def teams_asked(releases: Sequence[Release]) -> list[Team]:
    """Return the teams whose endpoints were asked questions of these releases in their own orders."""
    asked = SubmissionResponse.objects.filter(submission=OuterRef("submission"))
    endpoints = SubmittedEndpoint.objects.filter(
        Exists(asked), is_marked=True, submission__release__in=releases
    )
    return list(Team.objects.filter(pk__in=endpoints.values("team")).order_by("pk"))


def keys_asked(team: Team, releases: Sequence[Release], keys: Collection[int]) -> set[int]:
    """Return those of some release items that the team's endpoints were asked in its own orders."""
    rows = SubmissionResponse.objects.filter(
        submission__team=team,
        submission__release__in=releases,
        submission__endpoint__is_marked=True,
        release_item__pk__among=keys,
    )
    return set(rows.values_list("release_item", flat=True).distinct())


def texts_asked(releases: Sequence[Release], release: Release) -> list[AskedText]:
    """Return the hidden items of a release as these releases word and order them."""
    items = hidden_items(release).values("item")
    rows = ReleaseItem.objects.filter(
        release__in=releases, subset=Subset.BLACK_BOX, item__in=items
    ).order_by("pk")
    columns = ("pk", "item", "option_order", "revision__question", "revision__options")
    keys = defaultdict[tuple[int, str, tuple[str, ...]], list[int]](list)
    for pk, item, order, question, options in rows.values_list(*columns).iterator(READ_AT_ONCE):
        keys[item, question, tuple(in_order([*map(str, options)], order))].append(pk)
    return [AskedText(*each, tuple(found)) for each, found in keys.items()]
