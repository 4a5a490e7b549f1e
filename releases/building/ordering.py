"""Give the items of a release that is being frozen the order of their options."""

from collections.abc import Iterable, Iterator, Sequence

from annotation.models import Revision
from languages.option_names import names_options
from projects.models import Project
from releases.building.drawing import OrderedItem, draw_orders
from releases.building.queries import READ_AT_ONCE, ChosenText
from releases.models import Release, ReleaseItem
from releases.option_orders import SHUFFLED
from releases.readiness.queries import latest_public_version
from releases.splits import Placement

Chosen = Placement[ChosenText]


def fixed_revisions(project: Project, revisions: Iterable[int]) -> set[int]:
    """Return those of `revisions` whose text, or its source, speaks of letters or places."""
    return {
        pk
        for pk, question, options, source_question, source_options in _texts(sorted(revisions))
        if names_options(question, list(map(str, options)), project.target_language)
        or names_options(source_question, list(map(str, source_options)), project.source_language)
    }


def _texts(revisions: Sequence[int]) -> Iterator[tuple[int, str, list[str], str, list[str]]]:
    """Yield id, question and options of texts, and question and options of their sources.

    They are read in batches: a database sorts all rows of a query in memory.
    """
    item = "translation__item"
    columns = ("pk", "question", "options", f"{item}__question", f"{item}__options")
    for start in range(0, len(revisions), READ_AT_ONCE):
        some = Revision.objects.filter(pk__among=revisions[start : start + READ_AT_ONCE])
        yield from some.order_by("pk").values_list(*columns)


def option_orders(
    release: Release, placements: Sequence[Chosen], *, secret: str
) -> tuple[dict[str, str], int]:
    """Return the order of each item by uid, and how many keep theirs because their texts speak of it.

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
    """Return the order of options in the latest public release, by uid."""
    rows = ReleaseItem.objects.filter(
        release__project=project, release__version=str(latest_public_version(project))
    )
    return dict(rows.exclude(option_order="").values_list("uid", "option_order"))
