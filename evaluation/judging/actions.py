"""Has a judge model compare the answers of a run with the references of its open-ended items."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from common.errors import DomainError
from endpoints.budgets import budget_faults, unmeasured_fault
from endpoints.connections import check_usable
from endpoints.models import ModelSpec
from endpoints.specs.actions import check_answers_prompts, check_not_retired
from evaluation.judging.queries import judged_answers, judging_figures, judging_of
from evaluation.judging.rubric import PLACEHOLDERS, RUBRIC
from evaluation.models import AnswerJudging, Run
from evaluation.runs.actions import MAX_CONCURRENCY
from evaluation.runs.hidden_items import check_hidden_items
from jobs.actions import create_job, repeat_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from projects.locks import lock_project
from prompts.rubrics import rubric_fault, rubric_words
from scoring.scorers.judge import SCORER

JUDGING_KIND: Final = "answer-judging"


class JudgingInvalid(DomainError):
    code = "judging_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class NothingToJudge(DomainError):
    code = "nothing_to_judge"
    detail = gettext_lazy(
        "This run has no answers to open-ended items with a reference. Start a run with the method "
        "Exact, or one without methods, and wait until it has ended."
    )


class JudgingUnderway(DomainError):
    code = "judging_underway"
    detail = gettext_lazy("The answers of this run are being judged. Wait for it, or cancel it.")


class JudgedByAnother(DomainError):
    code = "judged_by_another"
    detail = gettext_lazy(
        "This run is judged by “%(judge)s” with another rubric or revision. A run has one judge: "
        "go on with the same one, or start another run; it uses the stored answers."
    )


@dataclass(frozen=True, slots=True)
class JudgingSettings:
    """`budget` is in US dollars; None is no limit."""

    rubric: str = RUBRIC
    budget: Decimal | None = None
    concurrency: int = 8


def start_judging(
    *, run: Run, judge: ModelSpec, settings: JudgingSettings, actor: User | None, now: datetime
) -> AnswerJudging:
    """Queue the job in which a model judges the answers of an ended run; what is judged stays so.

    Writes the job, the judging, the method `judge` on the run and an audit row in one transaction,
    then wakes a worker. With the same judge and rubric, an ended judging goes on with what is
    missing and the new budget, which has to be None if replies told no tokens. Raises
    JudgingInvalid, NothingToJudge, JudgingUnderway, JudgedByAnother, ModelRetired,
    ModelTranslatesOnly, EndpointClosed, EndpointNotAllowed, HiddenItemsKept.
    """
    check_judging(run, judge, settings)
    with transaction.atomic():
        lock_project(run.release.project_id)
        judging = judging_of(run)
        if judging is None:
            judging = _create(run, judge, settings, actor, now)
        else:
            _go_on(judging, judge, settings, actor, now)
        methods = list(dict.fromkeys([*run.methods, SCORER.name]))
        Run.objects.filter(pk=run.pk).update(methods=methods)
    run.methods = methods
    judging.refresh_from_db()
    return judging


def refuse_resuming(job: Job) -> None:
    """Raise EndpointClosed, EndpointNotAllowed or HiddenItemsKept where a judging may not go on."""
    rows = AnswerJudging.objects.select_related("run__release__project", "model_spec__endpoint")
    judging = rows.filter(job=job).first()
    if judging:
        _check_endpoint(judging.run, judging.model_spec)


def check_judging(run: Run, judge: ModelSpec, settings: JudgingSettings) -> None:
    """Raise what `start_judging` raises of a run, a judge and settings that do not go together."""
    if faults := _faults(run, judge, settings):
        raise JudgingInvalid(fields=faults)
    check_not_retired(judge)
    check_answers_prompts(judge)
    _check_endpoint(run, judge)
    if not Job.objects.get(pk=run.job_id).has_ended or not judged_answers(run).exists():
        raise NothingToJudge


def _check_endpoint(run: Run, judge: ModelSpec) -> None:
    check_usable(judge.endpoint, run.release.project)
    check_hidden_items(run.release, judge, [SCORER.name])


def _faults(run: Run, judge: ModelSpec, settings: JudgingSettings) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    if not judge.is_of(run.release.project):
        faults["judge"] = [_("Choose a model of this project.")]
    elif judge.model == run.model_spec.model:
        faults["judge"] = [_("A model does not judge its own answers. Choose another model.")]
    if fault := rubric_fault(settings.rubric, known=PLACEHOLDERS, required=PLACEHOLDERS):
        words = _("The placeholders are {question}, {reference} and {response}; all are needed.")
        faults["rubric"] = [rubric_words(fault, words)]
    if not 1 <= settings.concurrency <= MAX_CONCURRENCY:
        values = {"low": 1, "high": MAX_CONCURRENCY}
        faults["concurrency"] = [_("Choose a number from %(low)d to %(high)d.") % values]
    if settings.budget is not None:
        judging = judging_of(run)
        faults |= budget_faults(settings.budget, [judge])
        faults |= unmeasured_fault(judging_figures(judging).unmeasured if judging else 0)
    return faults


def _create(
    run: Run, judge: ModelSpec, settings: JudgingSettings, actor: User | None, now: datetime
) -> AnswerJudging:
    job = create_job(
        kind=JUDGING_KIND, scope=run.release.project.slug,
        params={"run": run.pk, "judge": judge.name, "judge_revision": judge.revision},
        actor=actor, now=now,
    )  # fmt: skip
    made: AnswerJudging = AnswerJudging.objects.create(
        run=run, model_spec=judge, rubric=settings.rubric, budget=settings.budget,
        concurrency=settings.concurrency, job=job,
    )  # fmt: skip
    return made


def _go_on(
    judging: AnswerJudging,
    judge: ModelSpec,
    settings: JudgingSettings,
    actor: User | None,
    now: datetime,
) -> None:
    if not judging.job.has_ended:
        raise JudgingUnderway
    if (judging.model_spec_id, judging.rubric) != (judge.pk, settings.rubric):
        raise JudgedByAnother(judge=judging.model_spec.name)
    rows = AnswerJudging.objects.filter(pk=judging.pk)
    rows.update(budget=settings.budget, concurrency=settings.concurrency)
    if judging.job.state == JobState.DONE:
        repeat_job(job=judging.job, holder=rows, actor=actor, now=now)
    else:
        resume_job(job=judging.job, actor=actor, now=now)
