"""Gives the items of a release that is being frozen the order of their options."""

from collections.abc import Iterable, Iterator, Sequence

from annotation.models import Revision
from common.db import json_as_text, read_lists
from languages import get_language
from projects.models import Project
from releases.models import Release, ReleaseItem
from releases.option_orders import SHUFFLED, OrderedItem, draw_orders, speaks_of_places
from releases.queries import READ_AT_ONCE, ChosenText, latest_public_version
from releases.splits import Placement

Chosen = Placement[ChosenText]


def fixed_revisions(project: Project, revisions: Iterable[int]) -> set[int]:
    """Those of `revisions` whose text, or that of their source, speaks of letters or places."""
    own, source = (
        get_language(code).option_letters
        for code in (project.target_language, project.source_language)
    )
    return {
        pk
        for pk, question, options, source_question, source_options in _texts(sorted(revisions))
        if speaks_of_places(question, map(str, options), own)
        or speaks_of_places(source_question, map(str, source_options), source)
    }


def _texts(revisions: Sequence[int]) -> Iterator[tuple[int, str, list[str], str, list[str]]]:
    """Id, question and options of texts, and question and options of their sources.

    They are read some at a time: a database sorts all of them in memory.
    """
    item = "translation__item"
    columns = ("pk", "question", f"{item}__question")
    lists = (json_as_text("options"), json_as_text(f"{item}__options"))
    for start in range(0, len(revisions), READ_AT_ONCE):
        some = Revision.objects.filter(pk__among=revisions[start : start + READ_AT_ONCE])
        page = list(some.order_by("pk").values_list(*columns, *lists))
        options, source_options = (read_lists(row[place] for row in page) for place in (3, 4))
        for (pk, question, source_question, *_lists), here, there in zip(
            page, options, source_options, strict=True
        ):
            yield pk, question, here, source_question, there


def option_orders(
    release: Release, placements: Sequence[Chosen], *, secret: str
) -> tuple[dict[str, str], int]:
    """The order of each item by uid, and how many keep theirs because their texts speak of it.

    Nothing where the release keeps all orders.
    """
    if release.option_order != SHUFFLED:
        return {}, 0
    fixed = fixed_revisions(release.project, (place.candidate.revision_id for place in placements))
    earlier = _earlier_orders(release.project)
    items = [
        OrderedItem(
            uid=place.uid,
            group=(place.subject, place.subset),
            key=place.candidate.key,
            option_count=place.candidate.option_count,
            earlier=earlier.get(place.uid, ""),
            is_fixed=place.candidate.revision_id in fixed,
        )
        for place in placements
        if place.candidate.option_count
    ]
    return draw_orders(items, secret=secret, seed=release.seed), sum(
        item.is_fixed for item in items
    )


def _earlier_orders(project: Project) -> dict[str, str]:
    """By uid the order of options in the latest public release."""
    rows = ReleaseItem.objects.filter(
        release__project=project, release__version=str(latest_public_version(project))
    )
    return dict(rows.exclude(option_order="").values_list("uid", "option_order"))
