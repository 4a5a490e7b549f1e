"""Finds what a screening job asks, what it has spent, and what its opinions are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.db.models import Count, Exists, F, Max, OuterRef, QuerySet

from annotation.asking.kinds import Task
from annotation.asking.queries import (
    Estimate,
    Selection,
    Tokens,
    Totals,
    allowed_items,
    estimate,
    measured_tokens,
    selected_items,
    totals_from,
    totals_json,
)
from annotation.enums import ItemKind, ItemState, OpinionState, Screen
from annotation.models import Opinion, ScreeningCall, ScreeningJob
from annotation.screening.screens import QUESTIONS
from endpoints.models import ModelSpec
from projects.models import Project
from prompts.enums import PromptPurpose

MOST_DOUBTED: Final = 1000
"""How many doubted items a page or a call of the API asks for at most."""

TASKS: Final[Mapping[str, Task]] = {
    screen: Task(purpose=PromptPurpose.SCREEN, task=screen, frame=frame)
    for screen, frame in QUESTIONS.items()
}


@dataclass(frozen=True, slots=True)
class Question:
    """One question to ask: an item, its text, None for the source text, and a screen."""

    item: int
    revision: int | None
    screen: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a job would ask, and how many hidden items it leaves out."""

    questions: Sequence[Question]
    hidden_count: int


@dataclass(frozen=True, slots=True)
class ScreenCounts:
    """How many opinions of a job on one screen are in each state."""

    screen: str
    open: int = 0
    doubt: int = 0
    fine: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpinionFilter:
    """Which opinions of a job to list; `confidence` is the least one."""

    state: str = OpinionState.DOUBT
    screen: str = ""
    confidence: float | None = None


def choose_opinions(
    project: Project, screens: Sequence[str], selection: Selection, spec: ModelSpec
) -> Chosen:
    """Return the questions about the active items of a selection, of those that a screen fits.

    “Unique” and “grammar” need options, “faithful” a translation. The others look at the
    translation where there is one.
    """
    columns = "pk", "kind", "working_translation__current_revision"
    rows = selected_items(project, selection).order_by("uid_order", "pk").values_list(*columns)
    found = {pk: (kind, revision) for pk, kind, revision in rows}
    wanted, hidden_count = allowed_items(project, [*found], [spec], selection.limit)
    questions = [
        Question(pk, found[pk][1], screen)
        for pk in wanted
        for screen in dict.fromkeys(screens)
        if _fits(screen, *found[pk])
    ]
    return Chosen(questions, hidden_count)


def _fits(screen: str, kind: str, revision: int | None) -> bool:
    if screen in (Screen.UNIQUE, Screen.GRAMMAR):
        return kind == ItemKind.CHOICE
    return screen != Screen.FAITHFUL or revision is not None


def estimate_screening(
    project: Project, chosen: Chosen, spec: ModelSpec, *, is_from_file: bool = False
) -> Estimate:
    """Return what asking the chosen questions would take, by the last calls on the same screens."""
    counts = Counter(question.screen for question in chosen.questions)
    parts = [(spec, count, _measured(project, screen, spec)) for screen, count in counts.items()]
    items = len({question.item for question in chosen.questions})
    return estimate(parts, items=items, hidden_count=chosen.hidden_count, is_from_file=is_from_file)


def totals_of(screening_job: ScreeningJob) -> Totals:
    """Return calls, tokens and price of a job so far, in three queries."""
    rows = ScreeningCall.objects.filter(opinion__screening_job=screening_job)
    of_files = rows.filter(is_from_file=True)
    return totals_from(rows, screening_job.model_spec, of_files=of_files)


def screen_counts(screening_job: ScreeningJob) -> list[ScreenCounts]:
    """Return the states of a job's opinions by screen, in one grouped query."""
    counts: dict[str, dict[str, int]] = {}
    rows = screening_job.opinions.values_list("screen", "state").annotate(n=Count("pk"))
    for screen, state, count in rows.order_by("screen", "state"):
        counts.setdefault(screen, {})[state] = count
    return [ScreenCounts(screen, **states) for screen, states in counts.items()]


def opinions_of(screening_job: ScreeningJob, wanted: OpinionFilter) -> QuerySet[Opinion]:
    """Return the opinions that a filter wants, with their items; order by -confidence, -pk."""
    rows = screening_job.opinions.filter(state=wanted.state)
    if wanted.screen:
        rows = rows.filter(screen=wanted.screen)
    if wanted.confidence is not None:
        rows = rows.filter(confidence__gte=wanted.confidence)
    return rows.select_related("item")


def thresholds(project: Project) -> dict[str, float]:
    """Return the chosen threshold of each screen that has one."""
    return dict(project.screen_thresholds.values_list("screen", "confidence"))


def most_doubted(project: Project, limit: int) -> list[str]:
    """Return the uids of the items whose current text has the surest doubts, the surest first.

    An item counts once, with its surest doubt of any screen and model. Doubts below the threshold
    of their screen do not count, nor those that the same model has replaced by a later opinion.
    """
    rows = Opinion.objects.filter(
        screening_job__project=project, state=OpinionState.DOUBT, item__state=ItemState.ACTIVE,
        revision=F("item__working_translation__current_revision"),
    )  # fmt: skip
    later = Opinion.objects.filter(
        revision=OuterRef("revision"), screen=OuterRef("screen"), pk__gt=OuterRef("pk"),
        screening_job__model_spec__name=OuterRef("screening_job__model_spec__name"),
        state__in=[OpinionState.DOUBT, OpinionState.FINE],
    )  # fmt: skip
    rows = rows.filter(~Exists(later))
    for screen, confidence in thresholds(project).items():
        rows = rows.exclude(screen=screen, confidence__lt=confidence)
    sure = rows.values("item__uid").annotate(most=Max("confidence"))
    return [row["item__uid"] for row in sure.order_by("-most", "item__uid")[:limit]]


def results_json(screening_job: ScreeningJob) -> dict[str, Any]:
    """Return what the API and the command print: the states by screen, calls, tokens and price."""
    counts = {each.screen: asdict(each) for each in screen_counts(screening_job)}
    return {
        "screens": {
            screen: {state: states[state] for state in OpinionState.values}
            for screen, states in counts.items()
        },
        **totals_json(totals_of(screening_job)),
    }


def _measured(project: Project, screen: str, spec: ModelSpec) -> Tokens:
    calls = ScreeningCall.objects.filter(
        opinion__screen=screen, opinion__screening_job__project=project,
        opinion__screening_job__model_spec__name=spec.name,
    )  # fmt: skip
    return measured_tokens(calls)
