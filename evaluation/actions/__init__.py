"""Actions that write model specs, prompts, runs and scores."""

from evaluation.actions.execution import perform_run
from evaluation.actions.runs import RunSettings, cancel_run, resume_run, start_run
from evaluation.actions.scores import perform_scoring, score_missing, start_scoring
from evaluation.actions.specs import SpecValues, create_model, ensure_default_prompts, revise_model

__all__ = [
    "RunSettings",
    "SpecValues",
    "cancel_run",
    "create_model",
    "ensure_default_prompts",
    "perform_run",
    "perform_scoring",
    "resume_run",
    "revise_model",
    "score_missing",
    "start_run",
    "start_scoring",
]
