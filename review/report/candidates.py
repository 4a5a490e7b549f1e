"""Holds the ranks that translation jobs gave their candidates against the texts that experts chose.

Experts choose a text by approving it as it stands, by revising it, or in a comparison. The candidate
that is the same as the chosen text, or else most like it, counts as theirs.
Dev items and excluded items are left out.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean
from typing import Any

from django.db.models import Max, QuerySet

from annotation.enums import ItemState, Origin, SplitName, TranslatedState, TranslationStrategy
from annotation.models import Revision, TranslatedItem
from annotation.translating.briefs import text_of
from annotation.translating.candidates import nearest, ranked_candidates
from annotation.translating.texts import ItemText
from common.batches import batched
from common.estimates import Estimate
from projects.models import Project
from review.enums import Outcome, PanelState, RoundKind
from review.figures.stages import approval_rate
from review.models import Panel, Round
from review.report.decisions import decided_before
from review.report.kept import kept
from review.report.systems import best_texts

READ_AT_ONCE = 200
WITH_CANDIDATES = (
    TranslationStrategy.BEST_OF_N,
    TranslationStrategy.FUSE,
    TranslationStrategy.RANK,
)
OF_PEOPLE = (Origin.HUMAN, Origin.ADJUDICATED)


class Choice(StrEnum):
    """How experts chose a text."""

    APPROVED = "approved"
    REVISED = "revised"
    COMPARED = "compared"


class Left(StrEnum):
    """Why the rank of the chosen text is not known."""

    UNRANKED = "unranked"
    ALIKE = "alike"
    TIED = "tied"


@dataclass(frozen=True, slots=True)
class CandidateFigures:
    """How often the text that experts chose was the candidate of each rank, of one system.

    `translated` of its items have a text, and of `decided` experts chose one in the way of `choice`.
    `ranks[0]` counts those whose text was ranked first. The others are left out by the reasons of
    `Left`. `chance` is the share of first ranks if the choice were drawn by lot. Programs gave
    `simulated` of the answers of a comparison.
    """

    system: str
    choice: Choice
    translated: int
    ranks: tuple[int, ...]
    left_out: Mapping[Left, int]
    chance: float | None
    simulated: int = 0

    @property
    def decided(self) -> int:
        return sum(self.ranks) + sum(self.left_out.values())

    @property
    def first(self) -> Estimate:
        """The share of chosen texts that were ranked first."""
        left_out = sum(self.left_out.values())
        return approval_rate(self.ranks[0], sum(self.ranks), n_left_out=left_out)

    def as_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "choice": str(self.choice),
            "translated": self.translated,
            "decided": self.decided,
            "first": self.first.as_json(),
            "ranks": list(self.ranks),
            "chance": self.chance,
            "left_out": {str(reason): self.left_out.get(reason, 0) for reason in Left},
            **({"simulated_answers": self.simulated} if self.simulated else {}),
        }


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The revisions that experts chose: in reviews by translation, in a comparison by item."""

    reviewed: Mapping[int, int]
    compared: Mapping[int, int]

    def of(self, row: TranslatedItem) -> tuple[int | None, int | None]:
        translation = row.revision.translation_id if row.revision else 0
        return self.reviewed.get(translation), self.compared.get(row.item_id)


def candidate_figures(project: Project, as_of: int | None) -> tuple[CandidateFigures, ...]:
    """Return the figures of each system whose jobs made several candidates, as of a round or of now."""
    rows = _translated(project)
    if not rows.exists():
        return ()
    rounds = project.rounds.filter(panel_count__gt=0)
    if as_of is not None:
        rounds = rounds.filter(number__lte=as_of)
    latest = rounds.order_by("-number").first()
    if latest is None:
        return ()
    settled = Panel.objects.filter(round__in=rounds).aggregate(last=Max("settled_at"))["last"]
    name = f"candidates-{as_of}-{settled and settled.timestamp()}"
    return kept(latest, name, lambda: _count(project, rows, rounds, as_of))


def _translated(project: Project) -> QuerySet[TranslatedItem]:
    return TranslatedItem.objects.filter(
        translation_job__project=project, translation_job__strategy__in=WITH_CANDIDATES,
        state=TranslatedState.TRANSLATED, item__state=ItemState.ACTIVE, item__split=SplitName.TEST,
    )  # fmt: skip


def _count(
    project: Project, rows: QuerySet[TranslatedItem], rounds: QuerySet[Round], as_of: int | None
) -> tuple[CandidateFigures, ...]:
    compared = best_texts(project, as_of)
    chosen = _Chosen(
        _reviewed(project, rounds, as_of), compared.revisions if compared else {}
    )  # fmt: skip
    simulated = compared.simulated if compared else 0
    translated: Counter[str] = Counter()
    found: dict[tuple[str, Choice], list[tuple[int | Left, int]]] = defaultdict(list)
    ordered = rows.select_related("item__project", "translation_job", "revision").order_by("pk")
    for part in batched(ordered.iterator(READ_AT_ONCE), READ_AT_ONCE):
        translated.update(row.translation_job.system for row in part)
        for row, choice, rank, count in _ranks(part, chosen):
            found[row.translation_job.system, choice].append((rank, count))
    return tuple(
        _figures(system, choice, translated[system], found[system, choice], simulated)
        for system, choice in sorted(found, key=lambda key: (key[0], list(Choice).index(key[1])))
    )


def _figures(
    system: str,
    choice: Choice,
    translated: int,
    found: Sequence[tuple[int | Left, int]],
    simulated: int,
) -> CandidateFigures:
    counts = Counter(rank for rank, _count in found)
    most = max((count for _rank, count in found), default=0)
    chances = [1 / count for rank, count in found if not isinstance(rank, Left)]
    return CandidateFigures(
        system, choice, translated,
        ranks=tuple(counts[rank] for rank in range(max(most, 1))),
        left_out={reason: counts[reason] for reason in Left if counts[reason]},
        chance=mean(chances) if chances else None,
        simulated=simulated if choice == Choice.COMPARED else 0,
    )  # fmt: skip


def _ranks(
    rows: Sequence[TranslatedItem], chosen: _Chosen
) -> Iterator[tuple[TranslatedItem, Choice, int | Left, int]]:
    """Yield each choice of the items of some rows, with its rank from 0 and the number of candidates."""
    wanted = [(row, pk) for row in rows for pk in _revisions(row, chosen)]
    decided = {row.pk: row for row, _pk in wanted}
    candidates = ranked_candidates(list(decided.values()))
    texts = Revision.objects.in_bulk({pk for _row, pk in wanted})
    for row in decided.values():
        ranked = candidates[row.pk]
        for choice, pk in _choices(row, chosen, texts):
            yield row, choice, _rank(ranked, text_of(texts[pk])), len(ranked)


def _revisions(row: TranslatedItem, chosen: _Chosen) -> Iterable[int]:
    reviewed, compared = chosen.of(row)
    return [pk for pk in (reviewed, compared) if pk is not None]


def _choices(
    row: TranslatedItem, chosen: _Chosen, texts: Mapping[int, Revision]
) -> Iterator[tuple[Choice, int]]:
    reviewed, compared = chosen.of(row)
    if reviewed is not None:
        is_own = texts[reviewed].origin in OF_PEOPLE
        yield Choice.REVISED if is_own else Choice.APPROVED, reviewed
    if compared is not None:
        yield Choice.COMPARED, compared


def _rank(ranked: Sequence[ItemText], text: ItemText) -> int | Left:
    if not ranked:
        return Left.UNRANKED
    if len(ranked) == 1:
        return Left.ALIKE
    place = nearest(ranked, text)
    return Left.TIED if place is None else place


def _reviewed(project: Project, rounds: QuerySet[Round], as_of: int | None) -> dict[int, int]:
    """Return the text that the last settled panel of each translation chose; none if it rejected."""
    panels = Panel.objects.filter(
        round__in=rounds.filter(kind=RoundKind.REVIEW), state=PanelState.SETTLED
    )
    moment = decided_before(project, as_of)
    if moment is not None:
        panels = panels.filter(settled_at__lt=moment)
    columns = panels.order_by("round__number", "pk").values_list(
        "revision__translation", "outcome", "revision", "adjudication__resulting_revision",
        "revision__superseded_by",
    )  # fmt: skip
    found: dict[int, int] = {}
    for translation, outcome, judged, ruled, next_one in columns.iterator():
        found.pop(translation, None)
        if outcome == Outcome.APPROVED:
            found[translation] = judged
        elif outcome == Outcome.REVISED:
            found[translation] = ruled or next_one
    return found
