"""What comparisons and solving rounds came to, read from the database.

Items of the dev split are left out, as in figures of review, and so are items that are excluded by
now, which those keep: results follow the approved texts and the keys as they are, and a baseline
goes with the items that are released.
Nothing here is told before the round is closed: a figure could tell who answers what others said.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from annotation.enums import ItemState, SplitName
from annotation.models import Item, Translation
from annotation.translating.queries import totals_by_system
from languages import get_language
from projects.criteria import Criteria
from projects.models import Subject
from review.answers.costs import SystemCost, system_cost
from review.answers.figures import (
    Opinion,
    SolvedItem,
    SubjectFigures,
    SystemFigures,
    best_systems,
    subject_figures,
    system_figures,
)
from review.answers.text_scores import scores_by_system
from review.enums import Outcome, RoundKind, RoundState, VerdictRule
from review.models import Answer, ComparedText, Panel, Round
from review.report.simulated import simulated_answers
from scoring.overlap import NO_TEXTS, signatures


@dataclass(frozen=True, slots=True)
class ComparisonResults:
    """The systems of a comparison by name; `signatures` say how BLEU and chrF++ are made.

    `costs` has every system if a translation job made the texts of one of them, else it is empty.
    `rated` are the project's criteria. Programs gave `simulated` of the answers, not people.
    """

    round: int
    selection: str
    panel_size: int
    verdict_rule: str
    items: int
    systems: tuple[SystemFigures, ...]
    signatures: dict[str, str]
    rated: Criteria
    costs: dict[str, SystemCost]
    simulated: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "round": self.round,
            "kind": "comparison",
            "selection": self.selection,
            **({"simulated_answers": self.simulated} if self.simulated else {}),
            "panel_size": self.panel_size,
            "verdict_rule": self.verdict_rule,
            "items": self.items,
            "signatures": self.signatures,
            "systems": self.systems_json(),
        }

    def systems_json(self) -> list[dict[str, Any]]:
        """The systems' figures, with `cost` where `costs` has it."""
        return [
            each.as_json()
            | ({"cost": self.costs[each.system].as_json()} if each.system in self.costs else {})
            for each in self.systems
        ]


FEWEST_SOLVING_ANSWERS = 30
"""With fewer answers, how often people are right is no baseline for models."""


@dataclass(frozen=True, slots=True)
class SolvingResults:
    """How experts solve the items: all together, and each subject by name.

    Answers are compared with the keys as they are now. `corrected_keys` of the items have another
    key than when the round was opened. Programs gave `simulated` of the answers, not people.
    """

    round: int
    panel_size: int
    total: SubjectFigures
    subjects: tuple[SubjectFigures, ...]
    corrected_keys: int
    simulated: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "round": self.round,
            "kind": "solving",
            **({"simulated_answers": self.simulated} if self.simulated else {}),
            "panel_size": self.panel_size,
            "corrected_keys": self.corrected_keys,
            "total": self.total.as_json(),
            "subjects": [each.as_json() for each in self.subjects],
        }


@dataclass(frozen=True, slots=True)
class CommentedAnswer:
    """What an expert said beside an answer; `choice` is empty for "I cannot say"."""

    choice: str
    comment: str


@dataclass(frozen=True, slots=True)
class KeyAnswers:
    """What the experts answered about one item, without names.

    `choices` has how many chose each letter, only letters that somebody chose.
    """

    choices: dict[str, int]
    unsure: int
    comments: list[CommentedAnswer]


def solving_answers(items: QuerySet[Any]) -> QuerySet[Answer]:
    """Return the answers of experts, and of no program, to these items in closed solving rounds."""
    rows: QuerySet[Answer] = Answer.objects.filter(
        panel__round__kind=RoundKind.SOLVING,
        panel__round__state=RoundState.CLOSED,
        panel__item__in=items,
        reviewer__is_simulated=False,
    )
    return rows


def comparison_results(round_: Round) -> ComparisonResults:
    """The figures of each system in a comparison; one query beside those of `scores_by_system`."""
    opinions: dict[str, list[Opinion]] = defaultdict(list)
    for each in _opinions(_said_in(round_).filter(_counted("answer__panel__"))):
        opinions[each.system].append(each)
    scores = scores_by_system(round_)
    items = {each.item for said in opinions.values() for each in said}
    systems = tuple(
        system_figures(
            system,
            opinions[system],
            scores.get(system, NO_TEXTS),
            unscored=len({each.item for each in opinions[system]})
            - scores.get(system, NO_TEXTS).used,
            panel_size=round_.panel_size,
            is_majority_enough=round_.verdict_rule == VerdictRule.MAJORITY,
            criteria=round_.project.criteria,
        )
        for system in sorted(opinions)
    )
    return ComparisonResults(
        round=round_.number,
        selection=round_.selection,
        panel_size=round_.panel_size,
        verdict_rule=round_.verdict_rule,
        items=len(items),
        systems=systems,
        signatures=signatures(get_language(round_.project.target_language)),
        rated=round_.project.criteria,
        costs=_costs(round_, systems, opinions),
        simulated=simulated_answers(round_),
    )


def best_ranked(round_: Round, items: Sequence[int], *, ties_to: str = "") -> dict[int, int]:
    """For each of these items of a comparison the translation whose text was found best.

    Of several that of the system `ties_to`, else the one that the item has, else the first by the
    system's name. Items that nobody compared are left out. Ask for some hundred items at a time:
    what was said of all of a large round takes hundreds of megabytes.
    """
    said = _opinions(_said_in(round_).filter(answer__panel__item__in=items))
    best = best_systems(said, round_.project.criteria)
    rows = Translation.objects.filter(item__in=best).values_list("item", "system", "pk")
    ids = {(item, system): pk for item, system, pk in rows}
    working = dict(Item.objects.filter(pk__in=best).values_list("pk", "working_translation"))
    found: dict[int, int] = {}
    for item, systems in best.items():
        candidates = [ids[item, system] for system in systems if (item, system) in ids]
        if candidates:
            liked = [ids[item, ties_to]] if ties_to in systems and (item, ties_to) in ids else []
            own = [pk for pk in candidates if pk == working.get(item)]
            found[item] = (liked or own or candidates)[0]
    return found


def sole_best(round_: Round) -> dict[int, int]:
    """For each item of a comparison the revision that was found best, if one alone was.

    Systems that gave the same text to the letter count as one.
    """
    said = _said_in(round_).filter(_counted("answer__panel__"))
    best = best_systems(_opinions(said), round_.project.criteria)
    columns = said.values_list(
        "answer__panel__item", "revision__translation__system", "revision",
        "revision__content_hash",
    )  # fmt: skip
    texts = {(item, system): (digest, pk) for item, system, pk, digest in columns.order_by("pk")}
    found: dict[int, int] = {}
    for item, systems in best.items():
        revisions = dict(texts[item, system] for system in systems)
        if len(revisions) == 1:
            found[item] = next(iter(revisions.values()))
    return found


def solving_results(round_: Round) -> SolvingResults:
    """How experts solved the items of a round, by subject; three queries."""
    items: dict[int, list[SolvedItem]] = defaultdict(list)
    for row in _solved(round_):
        items[row.subject].append(row)
    subjects = Subject.objects.filter(pk__in=items).order_by("name", "pk")
    every = [row for rows in items.values() for row in rows]
    changed = Item.objects.filter(
        panels__round=round_, key_changes__created_at__gte=round_.opened_at
    )
    return SolvingResults(
        round=round_.number,
        panel_size=round_.panel_size,
        total=subject_figures("", "", every, panel_size=round_.panel_size),
        subjects=tuple(
            subject_figures(each.slug, each.name, items[each.pk], panel_size=round_.panel_size)
            for each in subjects
        ),
        corrected_keys=changed.distinct().count(),
        simulated=simulated_answers(round_),
    )


def answers_about_key(panel: Panel) -> KeyAnswers:
    """What was answered in one panel of a solving round, in the order of answering."""
    said = list(Answer.objects.filter(panel=panel).order_by("pk").values_list("choice", "comment"))
    choices = Counter(choice for choice, _comment in said)
    unsure = choices.pop("", 0)
    comments = [CommentedAnswer(choice, comment) for choice, comment in said if comment]
    return KeyAnswers(dict(choices), unsure, comments)


def answers_told(round_: Round) -> QuerySet[Answer]:
    """The answers of a round in the order of items, with what they are about."""
    rows = Answer.objects.filter(panel__round=round_)
    related = ("panel__item", "reviewer")
    return rows.select_related(*related).order_by("panel__position", "pk")


def _counted(path: str) -> Q:
    return Q(
        **{f"{path}item__state": ItemState.ACTIVE, f"{path}item__split": SplitName.TEST},
    )


def _said_in(round_: Round) -> QuerySet[ComparedText]:
    return ComparedText.objects.filter(
        answer__panel__round=round_, answer__withdrawn_at__isnull=True
    )


def _opinions(rows: QuerySet[ComparedText]) -> list[Opinion]:
    columns = rows.order_by("answer", "pk").values_list(
        "revision__translation__system", "answer__panel__item", "is_approved", "ratings", "rank"
    )
    return [Opinion(*row) for row in columns]


def _costs(
    round_: Round, systems: Sequence[SystemFigures], opinions: Mapping[str, Sequence[Opinion]]
) -> dict[str, SystemCost]:
    """What the systems took, if a translation job made the texts of one of them."""
    took = totals_by_system(round_.project, [each.system for each in systems])
    if not took:
        return {}
    seconds = _seconds_by_text(round_)
    costs = {}
    for each in systems:
        judged = Counter(said.item for said in opinions[each.system])
        complete = [item for item, count in judged.items() if count >= round_.panel_size]
        costs[each.system] = system_cost(each, took.get(each.system), complete, seconds)
    return costs


def _seconds_by_text(round_: Round) -> dict[int, float | None]:
    """The time that experts spent on one text of each item; None if that of an answer is not known."""
    rows = Answer.objects.filter(_counted("panel__"), panel__round=round_).order_by()
    timed = rows.values_list("pk", "panel__item", "active_seconds").annotate(n=Count("texts"))
    found: dict[int, float | None] = {}
    for _pk, item, active, texts in timed:
        before = found.get(item, 0.0)
        found[item] = before + active / texts if active and texts and before is not None else None
    return found


def _solved(round_: Round) -> list[SolvedItem]:
    rows = Answer.objects.filter(_counted("panel__"), panel__round=round_)
    grouped = rows.order_by().values("panel", "panel__item__subject", "panel__outcome")
    counted: Any = grouped.annotate(
        n=Count("pk"),
        right=Count("pk", filter=Q(choice=F("panel__item__key"))),
        unsure=Count("pk", filter=Q(choice="")),
    ).order_by("panel")
    return [
        SolvedItem(
            subject=row["panel__item__subject"],
            answers=row["n"],
            right=row["right"],
            unsure=row["unsure"],
            is_doubted=row["panel__outcome"] == Outcome.DISPUTED,
        )
        for row in counted
    ]
