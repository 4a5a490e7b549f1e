"""Find the items that are worth hiding most: not public, or changed by experts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rapidfuzz.distance import Indel

from annotation.enums import Origin
from annotation.models import KeyChange, Revision
from projects.models import Project
from releases.building.queries import READ_AT_ONCE, ChosenText
from releases.readiness.queries import public_sources

SUBSTANTIAL = 0.3
"""Share of a text that is another than in its first revision, from which it counts as changed."""


def preferred_uids(project: Project, texts: Sequence[ChosenText]) -> frozenset[str]:
    """Return the items that are hardest to look up: not public, or written or changed by experts.

    That is an item of a source that is not public, one whose key was corrected, one that experts
    translated from the start, and one of whose text they changed `SUBSTANTIAL` or more.
    """
    public = public_sources(project)
    rekeyed = set(KeyChange.objects.filter(item__project=project).values_list("item", flat=True))
    changed = set(_changed_revisions(project, _by_people(texts)))
    return frozenset(
        text.uid
        for text in texts
        if text.origin.item_source not in public
        or text.item_id in rekeyed
        or text.revision_id in changed
    )


def _by_people(texts: Iterable[ChosenText]) -> set[int]:
    people = (Origin.HUMAN, Origin.ADJUDICATED)
    return {text.revision_id for text in texts if text.origin.origin in people}


def _changed_revisions(project: Project, revisions: set[int]) -> Iterator[int]:
    """Yield those of `revisions` that differ much from the first text of their translation."""
    if not revisions:
        return
    first = "translation__revisions"
    rows = Revision.objects.filter(
        translation__item__project=project,
        origin__in=(Origin.HUMAN, Origin.ADJUDICATED),
        **{f"{first}__number": 1},
    ).values_list("pk", "number", "question", "options", f"{first}__question", f"{first}__options")
    for pk, number, *texts in rows.order_by("pk").iterator(READ_AT_ONCE):
        if pk in revisions and (number == 1 or _distance(*texts) >= SUBSTANTIAL):
            yield pk


def _distance(
    question: str, options: list[Any], first_question: str, first_options: list[Any]
) -> float:
    return Indel.normalized_distance(
        "\n".join([question, *map(str, options)]),
        "\n".join([first_question, *map(str, first_options)]),
    )
