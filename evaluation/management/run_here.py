"""What `start_run` and `resume_run` share: doing a run in this process, and its result."""

import time
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.enums import JobState
from common.errors import DomainError
from common.jobs import run_now
from evaluation.actions import do_run
from evaluation.actions.work import KeyMissing
from evaluation.models import Run
from evaluation.queries.results import run_results
from evaluation.results_json import results_json

POLL_SECONDS = 0.2


class RunStopped(DomainError):
    code = "run_stopped"
    detail = _("Run %(run)s stopped: %(reason)s Go on with: resume_run %(run)s")


def run_here(run: Run, say: Callable[[str], None]) -> Run:
    """Do the run's job here; where a worker was quicker, wait for it, and replace one that died.

    Raises RunStopped, with the job's words, when it did not come to its end.
    """
    words = {"run": run.pk, "model": run.model_spec.name, "release": run.release.version}
    say(gettext("run %(run)s: %(model)s on %(release)s") % words)
    job = run_now(run.job, do_run)
    while job.state == JobState.RUNNING:
        time.sleep(POLL_SECONDS)
        job = run_now(job, do_run)
    run.refresh_from_db()
    if job.state != JobState.DONE:
        raise RunStopped(run=run.pk, reason=_reason(run))
    return run


def _reason(run: Run) -> str:
    """Why the run's job did not end well; whoever works on the server also learns which key."""
    reason = run.job.error or f"{run.job.get_state_display()}."
    is_key_missing = run.job.error_code == KeyMissing.code
    return f"{reason} ({run.model_spec.api_key_env})" if is_key_missing else reason


def run_result(run: Run) -> dict[str, Any]:
    """The object that the commands print: which run, how it stands, its figures."""
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
        **results_json(run_results(run)),
    }


def result_text(result: dict[str, Any]) -> str:
    """Lines for people: how it stands and each method's overall figures."""
    lines = [
        gettext("run %(run)s: %(model)s on %(release)s, %(state)s")
        % {**result, "state": JobState(result["state"]).label},
        gettext("answered %(answered)s of %(questions)s, failed %(failed)s") % result,
    ]
    if result["random_baseline"] is not None:
        lines.append(gettext("random choice %s") % f"{result['random_baseline']:.1%}")
    for name, metrics in result["methods"].items():
        rates = metrics["overall"]["item_weighted"]
        lines.append(
            f"{name}: RR {rates['response_rate']:.2%}  ACC {rates['accuracy']:.2%}"
            f"  CA {rates['conditional_accuracy']:.2%}"
        )
    return "\n".join(lines)
