"""Helpers of the commands: run or score in this process, and print the result."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from endpoints.connections import KeyMissing
from evaluation.audits.queries import audit_json
from evaluation.models import Run
from evaluation.results.actions import ScoresUpToDate, start_scoring
from evaluation.results.json_values import results_json
from evaluation.results.labels import answer_notes, coverage_text, difference_text
from evaluation.results.queries.figures import run_results
from evaluation.translation.tables import translation_rows
from jobs.enums import JobState
from jobs.management.here import end_here
from jobs.worker import run_now


class RunStopped(DomainError):
    code = "run_stopped"
    detail = _("Run %(run)s stopped: %(reason)s Resume it with: resume_run %(run)s")


def run_here(run: Run, say: Callable[[str], None]) -> Run:
    """Do the run's job in this process. If a worker has it, wait, and take over if the worker dies.

    Raises RunStopped with the job's error if the job does not finish.
    """
    values = {"run": run.pk, "model": run.model_spec.name, "release": run.release.version}
    say(gettext("run %(run)s: %(model)s on %(release)s") % values)
    job = end_here(run.job)
    run.refresh_from_db()
    if job.state != JobState.DONE:
        raise RunStopped(run=run.pk, reason=_reason(run))
    return run


def score_here(run: Run, say: Callable[[str], None], methods: Sequence[str] = ()) -> bool:
    """Score the stored answers in this process; return whether there was anything to score."""
    try:
        job = start_scoring(run=run, methods=methods, actor=None, now=timezone.now())
    except ScoresUpToDate:
        return False
    run_now(job)
    say(gettext("run %(run)s: scored the stored answers again") % {"run": run.pk})
    return True


def _reason(run: Run) -> str:
    """Return why the job stopped; people on the server also see what managers may see."""
    reason = run.job.error or f"{run.job.get_state_display()}."
    if said := run.job.error_data.get("said"):
        return gettext("%(reason)s The endpoint said: “%(said)s”") % {
            "reason": reason,
            "said": said,
        }
    is_key_missing = run.job.error_code == KeyMissing.code
    return f"{reason} ({run.model_spec.endpoint.api_key_env})" if is_key_missing else reason


def run_result(run: Run) -> dict[str, Any]:
    """Return what the commands print: the run, its state, its results and notes on them."""
    results = run_results(run)
    return {
        "run": run.pk,
        "job": run.job_id,
        "state": run.job.state,
        "release": run.release.version,
        "model": run.model_spec.name,
        "model_revision": run.model_spec.revision,
        "prompt": run.prompt_template.name,
        "shots": run.shots,
        "epochs": run.epochs,
        "rotation": run.rotation,
        "notes": answer_notes(results)
        + [coverage_text(one) for one in results.gaps if one.answers]
        + [difference_text(one) for one in results.differences],
        **results_json(results),
        "translation_scores": translation_rows(run),
        "audit": audit_json(run),
    }


def result_text(result: dict[str, Any]) -> str:
    """Return lines with the run's state, the overall results of each method and notes on them."""
    lines = [
        gettext("run %(run)s: %(model)s on %(release)s, %(state)s")
        % {**result, "state": JobState(result["state"]).label},
        *_rotation_of(result["rotation"]),
        gettext("answered %(answered)s of %(questions)s, failed %(failed)s") % result,
        *_usage_of(result["usage"]),
        *([gettext("reused from earlier runs: %(reused)s") % result] if result["reused"] else []),
        *_counts_of(result["answers"]),
    ]
    if result["random_baseline"] is not None:
        lines.append(gettext("random guessing %s") % f"{result['random_baseline']:.1%}")
    for name, metrics in result["methods"].items():
        rates = metrics["overall"]["item_weighted"]
        lines.append(
            f"{name}: RR {rates['response_rate']:.2%}  ACC {rates['accuracy']:.2%}"
            f"  CA {rates['conditional_accuracy']:.2%}"
        )
    lines += map(_translation_line, result["translation_scores"])
    return "\n".join([*lines, *result["notes"]])


def _translation_line(row: dict[str, Any]) -> str:
    scores = (
        f"{name} {row[key]['value']:.2f}"
        for key, name in (("bleu", "BLEU"), ("chrf", "chrF++"))
        if row[key]["value"] is not None
    )
    return f"{row['group']}: " + "  ".join([*scores, f"n {row['n']}"])


def _rotation_of(rotation: int) -> list[str]:
    return [gettext("options rotated by %(number)s") % {"number": rotation}] if rotation else []


def _usage_of(usage: dict[str, Any]) -> list[str]:
    """Return a line with the tokens of the answers that were bought, and their price if it is known."""
    if not usage["prompt_tokens"]:
        return []
    line = gettext("tokens sent %(prompt_tokens)s, received %(completion_tokens)s") % usage
    return [line if usage["price"] is None else f"{line}, ${Decimal(usage['price']):.4f}"]


def _counts_of(answers: dict[str, Any]) -> list[str]:
    """Return a line for each count of the answers that there is anything to say about."""
    names = {
        "finish_reasons": gettext("finish reasons"),
        "other_models": gettext("other models"),
        "model_failures": gettext("failures of the model"),
        "endpoint_failures": gettext("failures of the endpoint"),
    }
    lines = {text: answers[name] for name, text in names.items() if answers[name]}
    return [
        f"{text}: " + ", ".join(f"{name or '–'} {count}" for name, count in counts.items())
        for text, counts in lines.items()
    ]
