"""Creates arenas with their battles, starts their judging and stores what it amounts to."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from arena.design import Battle as Planned
from arena.design import against_baseline, balanced
from arena.enums import Plan
from arena.models import (
    DEFAULT_BOUND,
    MOST_ATTEMPTS,
    MOST_CONCURRENCY,
    MOST_EACH,
    Arena,
    Battle,
    Contestant,
    Judge,
)
from arena.queries import (
    answered_by,
    asked_judges,
    contestants_of,
    left_out_judges,
    prompts_of,
)
from arena.rubric import PLACEHOLDERS, REQUIRED, RUBRIC
from common.errors import DomainError
from endpoints.connections import check_usable
from endpoints.models import ModelSpec
from endpoints.queries import may_see_hidden_items
from evaluation.models import Run
from jobs.actions import JobNotRunnable, cancel_job, create_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from projects.locks import lock_project
from projects.models import Project
from prompts.rubrics import rubric_fault, rubric_words
from releases.enums import Subset
from releases.models import Release

ARENA_KIND: Final = "arena"
NAME_LENGTH: Final = 100
FAMILY_LENGTH: Final = 50
MOST_CONTESTANTS: Final = 50
MOST_JUDGES: Final = 10
MOST_BATTLES: Final = 50_000
INSERT_BATCH: Final = 500


class ArenaInvalid(DomainError):
    code = "arena_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class NothingToCompare(DomainError):
    code = "nothing_to_compare"
    detail = gettext_lazy(
        "No two of these runs have answered the same open-ended item. Run the models on the "
        "release without methods first. Hidden items count only if every judge’s endpoint may see them."
    )


class TooManyBattles(DomainError):
    code = "too_many_battles"
    detail = gettext_lazy(
        "That would be %(count)s battles; an arena has at most %(most)s. Choose fewer runs, or "
        "fewer battles a question."
    )


class ArenaJudging(DomainError):
    code = "arena_judging"
    detail = gettext_lazy("The judging of this arena is in progress. Wait for it, or cancel it.")


class ArenaDeleted(DomainError):
    code = "arena_deleted"
    detail = gettext_lazy("This arena was deleted, so there is nothing left to judge.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSettings:
    """How an arena is held. `families` maps names of models, of contestants or judges, to families.

    `sample` is how many battles people judge too, drawn by `seed`.
    """

    name: str
    release: Release
    runs: Sequence[Run]
    judges: Sequence[ModelSpec]
    baseline: Run | None = None
    each: int = 2
    seed: int = 0
    rubric: str = RUBRIC
    attempts: int = 2
    concurrency: int = 8
    bound: float = DEFAULT_BOUND
    sample: int = 50
    families: Mapping[str, str] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        return Plan.BASELINE if self.baseline else Plan.BALANCED


def plan_battles(project: Project, settings: ArenaSettings) -> list[Planned]:
    """Return (item, run, run) of each battle, without writing.

    Raises ArenaInvalid, NothingToCompare, TooManyBattles, EndpointNotAllowed, EndpointClosed.
    """
    _check(project, settings)
    items = prompts_of(settings.release)
    if not may_see_hidden_items(project, [spec.endpoint_id for spec in settings.judges]):
        items = items.filter(subset=Subset.OPEN)
    answered = answered_by([run.pk for run in settings.runs], items)
    if settings.baseline:
        planned = list(against_baseline(answered, settings.baseline.pk))
    else:
        planned = list(balanced(answered, each=settings.each, seed=settings.seed))
    if not planned:
        raise NothingToCompare
    if len(planned) > MOST_BATTLES:
        raise TooManyBattles(count=len(planned), most=MOST_BATTLES)
    return planned


def create_arena(
    *, project: Project, settings: ArenaSettings, actor: User | None, now: datetime
) -> Arena:
    """Write the arena, its contestants, judges and battles, and an audit row. Nothing is asked yet.

    Raises what `plan_battles` raises.
    """
    planned = plan_battles(project, settings)
    with transaction.atomic():
        lock_project(project.pk)
        check_name(project, settings.name)
        arena: Arena = Arena.objects.create(
            project=project, release=settings.release, name=settings.name, plan=settings.plan,
            each=settings.each, seed=settings.seed, rubric=settings.rubric,
            attempts=settings.attempts, concurrency=settings.concurrency, bound=settings.bound,
            created_by=actor, created_at=now,
        )  # fmt: skip
        contestants = _enter(arena, settings)
        Judge.objects.bulk_create(
            [
                Judge(
                    arena=arena, model_spec=spec, name=spec.name,
                    family=settings.families.get(spec.name, ""),
                )
                for spec in settings.judges
            ]
        )  # fmt: skip
        _store_battles(arena, planned, contestants, settings)
        record_event(
            actor=actor, verb="arena.created", target=f"arena:{arena.pk}", scope=project.slug,
            data={"name": arena.name, "battles": len(planned)}, now=now,
        )  # fmt: skip
    return arena


@transaction.atomic
def start_judging(*, arena: Arena, actor: User | None, now: datetime) -> Job:
    """Queue the job that asks the judges what is missing and counts again; a stopped one goes on.

    It also counts again what people have judged since. Raises ArenaJudging, and EndpointClosed or
    EndpointNotAllowed if no judge may be asked.
    """
    lock_project(arena.project_id)
    job = Job.objects.get(pk=arena.job_id) if arena.job_id else None
    if job and not job.has_ended:
        raise ArenaJudging
    _check_endpoints(arena)
    if job and job.state != JobState.DONE:
        resume_job(job=job, actor=actor, now=now)
        return job
    successor = create_job(
        kind=ARENA_KIND, scope=arena.project.slug, params={"arena": arena.pk, "name": arena.name},
        actor=actor, now=now,
    )  # fmt: skip
    if not Arena.objects.filter(pk=arena.pk, job=job).update(job=successor):
        raise JobNotRunnable
    arena.job = successor
    return successor


def cancel_judging(*, arena: Arena, actor: User | None, now: datetime) -> None:
    """Cancel the job; verdicts so far are kept. Raises JobNotCancellable if it has ended."""
    if arena.job:
        cancel_job(job=arena.job, actor=actor, now=now)


def refuse_resuming(job: Job) -> None:
    """Raise EndpointClosed or EndpointNotAllowed where no judge may be asked any more, or ArenaDeleted."""
    arena = Arena.objects.select_related("project").filter(job=job).first()
    if arena is None:
        raise ArenaDeleted
    _check_endpoints(arena)


@transaction.atomic
def store_figures(*, arena: Arena, figures: Mapping[str, Any], left_out: Mapping[int, str]) -> bool:
    """Store what was counted without the judges `left_out`.

    Returns False, and stores nothing, if others are left out now.
    """
    lock_project(arena.project_id)
    if left_out_judges(arena) != left_out:
        return False
    Arena.objects.filter(pk=arena.pk).update(figures=figures)
    return True


def check_name(project: Project, name: str) -> None:
    """Raise ArenaInvalid for a name that is no name or taken."""
    if faults := _name_faults(name):
        raise ArenaInvalid(fields={"name": faults})
    if Arena.objects.filter(project=project, name=name).exists():
        words = _("This project has an arena of this name already. Choose another name.")
        raise ArenaInvalid(fields={"name": [words]})


def _enter(arena: Arena, settings: ArenaSettings) -> dict[int, Contestant]:
    """Write the contestants; two runs of one model are told apart by the number of the run."""
    names = [run.model_spec.name for run in settings.runs]
    rows = [
        Contestant(
            arena=arena,
            run=run,
            name=name if names.count(name) == 1 else f"{name[: NAME_LENGTH - 20]} ({run.pk})",
            family=settings.families.get(name, ""),
            is_baseline=run == settings.baseline,
        )
        for run, name in zip(settings.runs, names, strict=True)
    ]
    Contestant.objects.bulk_create(rows)
    return {row.run.pk: row for row in contestants_of(arena) if row.run}


def _store_battles(
    arena: Arena,
    planned: Sequence[Planned],
    contestants: Mapping[int, Contestant],
    settings: ArenaSettings,
) -> None:
    rng = random.Random(settings.seed)
    count = min(settings.sample, len(planned))
    sampled = set(rng.sample(range(len(planned)), count))
    Battle.objects.bulk_create(
        [
            Battle(
                arena=arena,
                release_item_id=item,
                first=contestants[first],
                second=contestants[second],
                is_sampled=number in sampled,
            )
            for number, (item, first, second) in enumerate(planned)
        ],
        batch_size=INSERT_BATCH,
    )


def _check_endpoints(arena: Arena) -> None:
    """Raise what refuses the first judge, if every one is refused: the job tells which of several is."""
    refusals = []
    for judge in asked_judges(arena):
        try:
            check_usable(judge.model_spec.endpoint, arena.project)  # type: ignore[union-attr]
        except DomainError as refusal:
            refusals.append(refusal)
        else:
            return
    if refusals:
        raise refusals[0]


def _check(project: Project, settings: ArenaSettings) -> None:
    faults = _faults(project, settings)
    if faults:
        raise ArenaInvalid(fields=faults)
    check_name(project, settings.name)
    for spec in settings.judges:
        check_usable(spec.endpoint, project)


def _faults(project: Project, settings: ArenaSettings) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    if named := _name_faults(settings.name):
        faults["name"] = named
    bounds = {
        "each": (1, MOST_EACH), "attempts": (1, MOST_ATTEMPTS), "sample": (0, MOST_BATTLES),
        "concurrency": (1, MOST_CONCURRENCY), "bound": (0, 1), "seed": (0, 2**31 - 1),
    }  # fmt: skip
    for field_name, (low, high) in bounds.items():
        if not low <= getattr(settings, field_name) <= high:
            values = {"low": low, "high": high}
            faults[field_name] = [_("Choose a number from %(low)d to %(high)d.") % values]
    faults |= _fault_of_entries(project, settings)
    if fault := rubric_fault(settings.rubric, known=PLACEHOLDERS, required=REQUIRED):
        words = _(
            "The placeholders are {question}, {answer_a}, {answer_b} and, if wanted, {reference}."
        )
        faults["rubric"] = [rubric_words(fault, words)]
    return faults


def _name_faults(name: str) -> list[str]:
    if not 0 < len(name) <= NAME_LENGTH or not name.isprintable() or name != name.strip():
        return [_("Enter a name with at most 100 characters.")]
    return []


def _fault_of_entries(project: Project, settings: ArenaSettings) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    runs, judges = settings.runs, settings.judges
    if not 2 <= len(set(runs)) == len(runs) <= MOST_CONTESTANTS:
        faults["runs"] = [_("Choose from 2 to %d different runs.") % MOST_CONTESTANTS]
    elif any(run.release_id != settings.release.pk for run in runs):
        faults["runs"] = [_("Choose runs on the release of the arena.")]
    if settings.release.project_id != project.pk:
        faults["release"] = [_("Choose a release of this project.")]
    if settings.baseline and settings.baseline not in runs:
        faults["baseline"] = [_("Choose one of the runs as the baseline.")]
    if not 1 <= len({spec.name for spec in judges}) == len(judges) <= MOST_JUDGES:
        faults["judges"] = [_("Choose from 1 to %d different models.") % MOST_JUDGES]
    elif not all(spec.is_of(project) for spec in judges):
        faults["judges"] = [_("Choose models of this project.")]
    known = {each.model_spec.name for each in runs} | {spec.name for spec in judges}
    for model, family in settings.families.items():
        if model not in known or not 0 < len(family) <= FAMILY_LENGTH or not family.isprintable():
            words = _("Name a model of this arena and a family of at most 50 characters: %s.")
            faults["families"] = [words % model]
    return faults
