"""Words the messages of each step: translate, correct, score, merge, rank, refine, and ask again."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.asking.plans import Prompt
from annotation.translating.texts import ItemText, Source, schema_of
from endpoints.providers.base import Message

VARIANTS: Final = (
    "",
    "Write as an examiner would write in the target language, not in the word order of the source.",
    "Settle the terms first. Use one word for one term in question, options and explanation.",
    "Stay as close to the source as good grammar allows. Add nothing and leave nothing out.",
    "Where two words are possible, choose the one that students know.",
)
"""What each candidate of several prompts is told besides; the first is the plain prompt."""

_RULES: Final = (
    "Keep the number and the order of the options, and write no letters or numbers before them. "
    "Keep numbers, formulas and blanks. Do not answer the question, and do not let the wording "
    "give the answer away: all options must fit the question equally well."
)
_ERRORS: Final = (
    "Look for wrong meaning, omissions, additions, wrong terms, bad grammar, options that do not "
    "fit the question, and words that give the answer away."
)


@dataclass(frozen=True, slots=True)
class Brief:
    """One item to translate, with the rendered prompt: `task` shows the item, terms and examples.

    For a plain engine, named by its provider, there is no prompt.
    """

    source: Source
    system: str
    task: str
    engine: str = ""


def ask_translation(brief: Brief, variant: int = 0) -> Prompt:
    """Return the prompt of a translation; `variant` counts the candidates of several prompts from 0."""
    extra = VARIANTS[variant % len(VARIANTS)]
    return _text_prompt(brief, brief.task, extra, _RULES)


def ask_correction(brief: Brief, text: ItemText) -> Prompt:
    """Return the prompt that has the model check a translation and give it back corrected."""
    shown = f"A translation of it: {text.as_json()}"
    order = "Check this translation against the source and correct it. If it is good, repeat it."
    return _text_prompt(brief, brief.task, shown, order, _ERRORS, _RULES)


def ask_fusion(brief: Brief, candidates: Sequence[ItemText]) -> Prompt:
    """Return the prompt that has the model merge candidates into one translation."""
    order = "Merge the best parts of these translations into one that is better than each of them."
    return _text_prompt(brief, brief.task, _listed(candidates), order, _ERRORS, _RULES)


def ask_scores(brief: Brief, candidates: Sequence[ItemText]) -> Prompt:
    """Return the prompt that has the judge give each candidate 1 to 10."""
    order = "Give each of these translations a score from 1 (unusable) to 10 (perfect)."
    return _list_prompt(brief, candidates, order, "scores", 10)


def ask_ranking(brief: Brief, candidates: Sequence[ItemText]) -> Prompt:
    """Return the prompt that has the judge rank candidates, by their numbers in the order given."""
    order = "Rank these translations by their numbers, the best first."
    return _list_prompt(brief, candidates, order, "ranking", len(candidates))


def _text_prompt(brief: Brief, *parts: str) -> Prompt:
    shape = brief.source.text.parts()
    example = {name: ["…"] * len(v) if isinstance(v, list) else "…" for name, v in shape.items()}
    return _prompt(brief, parts, example, schema_of(brief.source.text))


def _list_prompt(
    brief: Brief, candidates: Sequence[ItemText], order: str, name: str, most: int
) -> Prompt:
    count = len(candidates)
    number = {"type": "integer", "minimum": 1, "maximum": most}
    schema = {
        "type": "object",
        "properties": {
            name: {"type": "array", "items": number, "minItems": count, "maxItems": count}
        },
        "required": [name],
        "additionalProperties": False,
    }
    example = {name: list(range(1, count + 1))}
    parts = (_source_part(brief), _listed(candidates), order, _ERRORS)
    return _prompt(brief, parts, example, schema)


def _prompt(
    brief: Brief, parts: Sequence[str], example: dict[str, Any], schema: dict[str, Any]
) -> Prompt:
    shape = (
        f"Reply with one JSON object of this shape only: {json.dumps(example, ensure_ascii=False)}"
    )
    content = "\n\n".join([*filter(None, parts), shape])
    system = (Message("system", brief.system),) if brief.system.strip() else ()
    return Prompt((*system, Message("user", content)), schema)


def _source_part(brief: Brief) -> str:
    return f"The source:\n{brief.source.text.as_json()}"


def _listed(candidates: Sequence[ItemText]) -> str:
    lines = [f"Translation {n}: {text.as_json()}" for n, text in enumerate(candidates, start=1)]
    return "\n".join(lines)
