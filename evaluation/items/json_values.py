"""Figures of items and suggestions as JSON values, for the API and the commands."""

from typing import Any

from evaluation.items.labels import evidence_text
from evaluation.models import ItemFigure, ReviewSuggestion
from languages.letters import letter_of

DIF_COLUMNS = (
    "delta",
    "error",
    "p",
    "q",
    "size",
    "logistic_delta",
    "logistic_p",
    "logistic_q",
    "harder_q",
)
FIGURE_COLUMNS = (
    "uid",
    "subject",
    "key",
    "is_hidden",
    "answers",
    "models",
    "difficulty",
    "discrimination",
    "strong",
    "strong_choice",
    "strong_agree",
    "epoch_runs",
    "epoch_flips",
    "prompt_spread",
    *(f"dif_{name}" for name in DIF_COLUMNS),
    "dif_reference",
    "dif_focal",
)
"""The columns of the CSV file."""


def figure_json(figure: ItemFigure) -> dict[str, Any]:
    """The figures of an item, without its text; the released item and its subject are loaded."""
    placed = figure.placed
    return {
        "uid": placed.uid,
        "subject": placed.subject.slug,
        "key": placed.key,
        "is_hidden": figure.is_hidden,
        "answers": figure.answers,
        "models": figure.model_count,
        "difficulty": figure.difficulty,
        "discrimination": figure.discrimination,
        "chosen": _by_letter(figure.chosen),
        "strong": figure.strong,
        "strong_chosen": _by_letter(figure.strong_chosen),
        "strong_choice": figure.strong_choice,
        "strong_agree": figure.strong_agree,
        "epoch_runs": figure.epoch_runs,
        "epoch_flips": figure.epoch_flips,
        "prompt_spread": figure.prompt_spread,
        **{f"dif_{name}": figure.dif.get(name) for name in (*DIF_COLUMNS, "reference", "focal")},
    }


def suggestion_json(suggestion: ReviewSuggestion) -> dict[str, Any]:
    """A suggestion with its evidence as numbers and in words; the released item is loaded."""
    return {
        "id": suggestion.pk,
        "uid": suggestion.placed.uid,
        "kind": suggestion.kind,
        "strength": round(suggestion.strength, 4),
        "state": suggestion.state,
        "release": suggestion.release.version,
        "text": evidence_text(suggestion.kind, suggestion.evidence),
        "evidence": suggestion.evidence,
        "has_changed": has_changed(suggestion),
        "round": None if suggestion.round_id is None else suggestion.round_id,
        "reason": suggestion.reason,
    }


def has_changed(suggestion: ReviewSuggestion) -> bool:
    """Whether the item has had another text since; the item's translation is loaded."""
    translation = suggestion.item.working_translation
    return translation is None or translation.current_revision_id != suggestion.revision_id


def _by_letter(shares: list[float]) -> dict[str, float]:
    return {letter_of(place): share for place, share in enumerate(shares)}
