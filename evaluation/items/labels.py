"""Words for the figures of items, for what limits them, and for the evidence of suggestions."""

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.enums import SuggestionKind

FEW_MODELS = 10
FEW_RESPONDENTS = 50

ORDER_LABELS = {
    "item": gettext_lazy("order of the release"),
    "difficulty": gettext_lazy("hardest first"),
    "discrimination": gettext_lazy("lowest discrimination first"),
    "dif": gettext_lazy("hardest compared with the source first"),
}
FILTER_LABELS = {
    "none": gettext_lazy("nobody solves them"),
    "all": gettext_lazy("everybody solves them"),
    "negative": gettext_lazy("negative discrimination"),
    "key": gettext_lazy("strong models choose another option than the key"),
    "dif": gettext_lazy("harder than in the source language"),
}


def power_text(facts: Mapping[str, Any]) -> list[str]:
    """Say what the figures rest on, and what they can't show with so few models."""
    if not facts:
        return []
    notes = []
    if facts["models"] < FEW_MODELS:
        notes.append(
            _(
                "Figures rest on %(models)s models (%(respondents)s epochs of runs). With so few, "
                "discrimination is a rough hint: look at the lowest values first and do not compare "
                "items by it."
            )
            % facts
        )
    if "reference" in facts:
        notes += _comparison_notes(facts)
    return notes


def _comparison_notes(facts: Mapping[str, Any]) -> list[str]:
    if not facts["shared_items"] or not facts["shared_models"]:
        return [
            _(
                "Nothing could be compared with %(reference)s: the releases share %(shared_items)s "
                "items (by uid) and %(shared_models)s models (by name at the endpoint)."
            )
            % facts
        ]
    notes = [
        _(
            "Compared with %(reference)s: %(shared_items)s items, %(shared_models)s models, "
            "%(reference_respondents)s answers to an item in the source language and "
            "%(focal_respondents)s in the target language. Answers of one model to an item depend on "
            "each other, so the tests count them as fewer (design effect %(design_effect)s)."
        )
        % facts
    ]
    if min(facts["reference_respondents"], facts["focal_respondents"]) < FEW_RESPONDENTS:
        notes.append(
            _(
                "With so few answers, only very large effects of language can be found. An item "
                "without a suggestion may still be badly translated."
            )
        )
    return notes


def evidence_text(kind: str, evidence: Mapping[str, Any]) -> str:
    """Say in a sentence why the item is suggested."""
    return _EVIDENCE[SuggestionKind(kind)](evidence)


def _key_doubted(evidence: Mapping[str, Any]) -> str:
    return _(
        "%(strong_agree)s of %(strong)s strong models choose %(option)s, the key is %(key)s. "
        "Strong models choose %(option)s in %(option_share)s %% and the key in %(key_share)s %% of "
        "their answers."
    ) % {
        **evidence,
        "option_share": _percent(evidence["option_share"]),
        "key_share": _percent(evidence["key_share"]),
    }


def _dif(evidence: Mapping[str, Any]) -> str:
    shares = {
        "source": _percent(evidence["reference_share"]),
        "target": _percent(evidence["focal_share"]),
    }
    text = _(
        "%(source)s %% right in the source language, %(target)s %% in the target language: more of a "
        "drop than other items have."
    )
    effect = _(
        "Mantel-Haenszel Δ %(delta)s (%(size)s, q %(q)s), logistic Δ %(logistic)s (q %(logistic_q)s)."
    ) % {
        "delta": _number(evidence["delta"]),
        "size": evidence["size"] or "–",
        "q": _number(evidence["q"], 4),
        "logistic": _number(evidence["logistic_delta"]),
        "logistic_q": _number(evidence["logistic_q"], 4),
    }
    if (both := evidence.get("harder_q")) is not None:  # older suggestions have none
        effect += " " + _("Both together: q %(q)s.") % {"q": _number(both, 4)}
    return f"{text % shares} {effect}"


def _none_solve(evidence: Mapping[str, Any]) -> str:
    return _("None of %(models)s models gave a right answer (%(answers)s answers).") % evidence


def _all_solve(evidence: Mapping[str, Any]) -> str:
    return (
        _(
            "All %(answers)s answers of %(models)s models are right, so the item tells no models apart."
        )
        % evidence
    )


def _unstable(evidence: Mapping[str, Any]) -> str:
    parts = []
    if evidence["epoch_flips"] is not None:
        values = {**evidence, "share": _percent(evidence["epoch_flips"])}
        parts.append(
            _("In %(share)s %% of %(epoch_runs)s runs, some epochs are right and others wrong.")
            % values
        )
    if evidence["prompt_spread"] is not None:
        values = {"spread": _percent(evidence["prompt_spread"])}
        parts.append(
            _("Best and worst prompt of a model differ by %(spread)s points on average.") % values
        )
    return " ".join(parts)


_EVIDENCE = {
    SuggestionKind.KEY_DOUBTED: _key_doubted,
    SuggestionKind.DIF: _dif,
    SuggestionKind.NONE_SOLVE: _none_solve,
    SuggestionKind.ALL_SOLVE: _all_solve,
    SuggestionKind.UNSTABLE: _unstable,
}


def _percent(share: float | None) -> str:
    return "–" if share is None else number_format(round(100 * share, 1), decimal_pos=1)


def _number(value: float | None, decimals: int = 2) -> str:
    return "–" if value is None else number_format(round(value, decimals), decimal_pos=decimals)
