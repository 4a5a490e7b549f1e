"""Every write to model specs, prompts, runs and scores, by topic."""

from evaluation.actions.runs import RunSettings, cancel_run, resume_run, start_run
from evaluation.actions.scores import score_missing
from evaluation.actions.specs import SpecValues, create_model, ensure_default_prompts, revise_model
from evaluation.actions.work import do_run

__all__ = [
    "RunSettings",
    "SpecValues",
    "cancel_run",
    "create_model",
    "do_run",
    "ensure_default_prompts",
    "resume_run",
    "revise_model",
    "score_missing",
    "start_run",
]
