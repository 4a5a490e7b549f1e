"""Starts Min-k % tests: how probable the items of a run are to its model, beside control texts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.enums import TextSide
from common.errors import DomainError
from endpoints.budgets import budget_faults, unmeasured_fault
from endpoints.connections import check_usable
from endpoints.specs.actions import check_answers_prompts, check_not_retired
from evaluation.contamination.queries import min_k_figures, min_k_of, text_hash
from evaluation.contamination.texts import Pairs, choose_pairs, language_of
from evaluation.models import MinKTest, MinKText, Run
from evaluation.runs.actions import MAX_CONCURRENCY
from evaluation.runs.hidden_items import check_hidden_items
from jobs.actions import create_job, repeat_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from projects.locks import lock_project
from releases.models import Release

MIN_K_KIND: Final = "min-k"
FEWEST_PAIRS: Final = 2
MOST_ITEMS: Final = 2000
MOST_SEED: Final = 2**31 - 1


class MinKInvalid(DomainError):
    code = "min_k_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class ControlsMissing(DomainError):
    code = "controls_missing"
    detail = gettext_lazy(
        "Only %(pairs)s of %(items)s items have a control text of about their length that is not an "
        "item of this release. Give more texts, such as questions of the same language, a line each."
    )


class MinKUnderway(DomainError):
    code = "min_k_underway"
    detail = gettext_lazy("The Min-k % test of this run is in progress. Wait for it, or cancel it.")


class ProbabilitiesMissing(DomainError):
    code = "probabilities_missing"
    detail = gettext_lazy(
        "This endpoint does not say how probable the tokens of a text are (completions with echo and "
        "logprobs), which this test needs. Nothing has been asked. Choose a run of a model behind a "
        "server such as vLLM."
    )


@dataclass(frozen=True, slots=True)
class MinKSettings:
    """Up to `most` items are drawn with `seed`; `budget` is in US dollars, None is no limit."""

    side: str = TextSide.TARGET
    most: int = 1000
    seed: int = 0
    budget: Decimal | None = None
    concurrency: int = 8


def start_min_k(
    *,
    run: Run,
    control: Release | None,
    texts: Iterable[str],
    settings: MinKSettings,
    actor: User | None,
    now: datetime,
) -> MinKTest:
    """Queue the job in which the run's model is asked about items and controls; once for each text.

    Controls are items of `control` and each line of `texts`. Writes the job, the test, its
    texts and an audit row in one transaction, then wakes a worker. A run has one test: starting it
    again replaces the texts, and goes on with those that have no answer. Raises MinKInvalid,
    ControlsMissing, MinKUnderway, ModelRetired, ModelTranslatesOnly, EndpointClosed,
    EndpointNotAllowed, HiddenItemsKept.
    """
    _check(run, control, settings)
    pairs = choose_pairs(
        run, control, texts, side=settings.side, most=settings.most, seed=settings.seed
    )
    if len(pairs.found) < FEWEST_PAIRS:
        count = len(pairs.found)
        raise ControlsMissing(pairs=count, items=count + pairs.unmatched)
    with transaction.atomic():
        lock_project(run.release.project_id)
        test = _queued(run, control, settings, pairs, actor, now)
        test.texts.all().delete()
        MinKText.objects.bulk_create(_texts(test, pairs))
    return test


def refuse_resuming(job: Job) -> None:
    """Raise EndpointClosed, EndpointNotAllowed or HiddenItemsKept where a test may not go on."""
    test = MinKTest.objects.select_related("run__release", "control").filter(job=job).first()
    if test:
        check_endpoint(test.run, test.control)


def check_endpoint(run: Run, control: Release | None) -> None:
    """Raise what `refuse_resuming` says."""
    check_usable(run.model_spec.endpoint, run.release.project)
    for release in filter(None, (run.release, control)):
        check_hidden_items(release, run.model_spec, run.methods)


def _check(run: Run, control: Release | None, settings: MinKSettings) -> None:
    if faults := _faults(run, control, settings):
        raise MinKInvalid(fields=faults)
    check_not_retired(run.model_spec)
    check_answers_prompts(run.model_spec)
    check_endpoint(run, control)


def _faults(run: Run, control: Release | None, settings: MinKSettings) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    language = language_of(run.release.project, settings.side)
    if control is not None and language_of(control.project, settings.side) != language:
        faults["control"] = [_("Choose a release in the same language.")]
    elif control is not None and control.pk == run.release_id:
        faults["control"] = [_("Choose another release than that of the run.")]
    for name, value, low, high in (
        ("most", settings.most, 1, MOST_ITEMS),
        ("seed", settings.seed, 0, MOST_SEED),
        ("concurrency", settings.concurrency, 1, MAX_CONCURRENCY),
    ):
        if not low <= value <= high:
            values = {"low": low, "high": high}
            faults[name] = [_("Choose a number from %(low)d to %(high)d.") % values]
    if settings.budget is not None:
        test = min_k_of(run)
        faults |= budget_faults(settings.budget, [run.model_spec])
        faults |= unmeasured_fault(min_k_figures(test).unmeasured if test else 0)
    return faults


def _queued(
    run: Run,
    control: Release | None,
    settings: MinKSettings,
    pairs: Pairs,
    actor: User | None,
    now: datetime,
) -> MinKTest:
    """Return the run's test with these settings, whose job is queued."""
    values = {
        "side": settings.side, "control": control, "most": settings.most, "seed": settings.seed,
        "unmatched_count": pairs.unmatched, "budget": settings.budget,
        "concurrency": settings.concurrency,
    }  # fmt: skip
    earlier = min_k_of(run)
    if earlier is None:
        params = {"run": run.pk, "model": run.model_spec.name}
        scope = run.release.project.slug
        job = create_job(kind=MIN_K_KIND, scope=scope, params=params, actor=actor, now=now)
        made: MinKTest = MinKTest.objects.create(run=run, job=job, **values)
        return made
    if not earlier.job.has_ended:
        raise MinKUnderway
    rows = MinKTest.objects.filter(pk=earlier.pk)
    rows.update(**values)
    if earlier.job.state == JobState.DONE:
        repeat_job(job=earlier.job, holder=rows, actor=actor, now=now)
    else:
        resume_job(job=earlier.job, actor=actor, now=now)
    found: MinKTest = rows.select_related("job").get()
    return found


def _texts(test: MinKTest, pairs: Pairs) -> list[MinKText]:
    return [
        MinKText(
            test=test, pair=number, is_control=is_control, placed_id=chosen.placed,
            text="" if chosen.placed else chosen.text,
            request_hash=text_hash(test.run.model_spec, chosen.text),
        )
        for number, pair in enumerate(pairs.found, start=1)
        for is_control, chosen in zip((False, True), pair, strict=True)
    ]  # fmt: skip
