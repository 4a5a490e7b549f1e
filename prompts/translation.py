"""The prompt of translation jobs: its placeholders, its built-in words, and how it is filled."""

from collections.abc import Mapping
from typing import Final

from prompts.rendering import TemplateError, placeholders

PROMPT_NAME: Final = "translation"
SYSTEM_SLOTS: Final = frozenset({"source_language", "target_language", "script", "conventions"})
FRAME_SLOTS: Final = SYSTEM_SLOTS | {
    *("item", "subject", "terms", "examples", "other_sources"),
    *("dev_examples", "guideline"),
}
REQUIRED: Final = "item"

DEFAULT_SYSTEM: Final = (
    "You translate exam items from {source_language} into {target_language}, written in the "
    "{script} script. You know both languages and the subject. {conventions}"
)
DEFAULT_FRAME: Final = (
    "Translate this item of the subject “{subject}” from {source_language} into "
    "{target_language}.\n\n{terms}\n\n{examples}\n\nThe item:\n{item}\n\n{other_sources}"
)


def check_translation_prompt(system: str, frame: str) -> None:
    """Raise TemplateError for an unknown, formatted or missing placeholder, or unmatched braces."""
    placeholders(system, SYSTEM_SLOTS)
    if REQUIRED not in placeholders(frame, FRAME_SLOTS):
        raise TemplateError("missing", f"The frame must contain {{{REQUIRED}}}.", REQUIRED)


def check_job_prompt(frame: str) -> None:
    """Raise the same for the prompt of a job, whose only placeholder is the item."""
    if REQUIRED not in placeholders(frame, {REQUIRED}):
        raise TemplateError("missing", f"The frame must contain {{{REQUIRED}}}.", REQUIRED)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its slots filled; paragraphs that are empty then are left out."""
    filled = [part.format_map(values).strip() for part in text.split("\n\n")]
    return "\n\n".join(filter(None, filled))
