"""How much of a release stands in reference texts, such as what a model was trained on."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.duplicates.dedupe.overlap import Hit, ItemOverlap, OverlapSearch
from annotation.enums import TextSide
from common.intervals import wilson_interval
from endpoints.specs.queries import current_models
from evaluation.contamination.texts import language_of, text_of, with_side
from releases.models import Release
from releases.queries import release_items


@dataclass(frozen=True, slots=True)
class Overlapped:
    """An item with n-grams in a reference; `share` of its n-grams, between 0 and 1."""

    id: str
    subject: str
    share: float
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """`flagged` of `n` items that are long enough, with a Wilson interval of the share."""

    flagged: int
    n: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class DatedModel:
    """A model with the end of its training data, both months as in 2024-06.

    `may_have_seen` the release, if that was published by then; None if the model states no month.
    """

    name: str
    cutoff: str
    may_have_seen: bool | None


@dataclass(frozen=True, slots=True)
class Contamination:
    """What was found; `canaries` are the places that hold the release's canary string.

    `published` is the month of the release, empty before it is published; `models` are the
    project's.
    """

    side: str
    unit: str
    size: int
    texts: int
    too_short: int
    overall: Share
    subjects: dict[str, Share]
    items: tuple[Overlapped, ...]
    canaries: tuple[str, ...]
    published: str
    models: tuple[DatedModel, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def contamination_of(
    release: Release,
    references: Iterable[tuple[str, str]],
    *,
    canary: str,
    side: str = TextSide.TARGET,
    size: int = 0,
) -> Contamination:
    """Look for the items of a release in references, given as (place, text), each read once.

    `side` chooses the translated or the source texts; `size` is the length of an n-gram, 0 for the
    usual one of the language. The most overlapping items come first.
    """
    rows = [
        (placed.public_id, placed.subject.slug, text_of(placed, side))
        for placed in with_side(release_items(release), side).iterator(chunk_size=500)
    ]
    language = language_of(release.project, side)
    search = OverlapSearch([text for _id, _subject, text in rows], language=language, size=size)
    count, canaries = 0, []
    for place, text in references:
        count += 1
        search.look_in(text, place)
        if canary in text:
            canaries.append(place)
    found = list(zip(rows, search.found, strict=True))
    return Contamination(
        side=side,
        unit="words" if search.is_by_word else "characters",
        size=search.size,
        texts=count,
        too_short=sum(not overlap.total for _row, overlap in found),
        overall=_share(search.found),
        subjects=_subjects(found),
        items=tuple(sorted(_overlapped(found), key=lambda each: (-each.share, each.id))),
        canaries=tuple(canaries),
        published=_published(release),
        models=dated_models(release),
    )


def dated_models(release: Release) -> tuple[DatedModel, ...]:
    """Return the project's models by name, with whether they may have been trained on the release."""
    month = _published(release)
    specs = current_models(release.project).order_by("name", "pk")
    return tuple(
        DatedModel(spec.name, spec.cutoff, "" < month <= spec.cutoff if spec.cutoff else None)
        for spec in specs
    )


def _published(release: Release) -> str:
    return f"{release.published_at:%Y-%m}" if release.published_at else ""


def _overlapped(found: Iterable[tuple[tuple[str, str, str], ItemOverlap]]) -> list[Overlapped]:
    return [
        Overlapped(public_id, subject, overlap.share, tuple(overlap.hits))
        for (public_id, subject, _text), overlap in found
        if overlap.matched
    ]


def _subjects(
    found: Iterable[tuple[tuple[str, str, str], ItemOverlap]],
) -> dict[str, Share]:
    by_subject: defaultdict[str, list[ItemOverlap]] = defaultdict(list)
    for (_id, subject, _text), overlap in found:
        by_subject[subject].append(overlap)
    return {subject: _share(by_subject[subject]) for subject in sorted(by_subject)}


def _share(overlaps: Sequence[ItemOverlap]) -> Share:
    judged = [overlap for overlap in overlaps if overlap.total]
    flagged = sum(overlap.matched > 0 for overlap in judged)
    interval = wilson_interval(flagged, len(judged))
    return Share(flagged, len(judged), interval.low, interval.high)
