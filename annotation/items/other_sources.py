"""Texts of an item in further source languages, such as English beside Chinese.

Importers keep them as metadata: `question_en` is the question in English, and `options_en` a list of
its options. A name that ends in no language that is known here is plain metadata.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from annotation.models import Item
from languages import get_language, is_known
from projects.models import Project

_QUESTION: Final = "question_"


@dataclass(frozen=True, slots=True)
class OtherSource:
    """An item in one more source language, by its tag; `options` may be empty."""

    language: str
    question: str
    options: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "language": self.language,
            "question": self.question,
            "options": list(self.options),
        }


def other_sources(item: Item, project: Project) -> list[OtherSource]:
    """Return the item in its further source languages, in the order of their tags.

    A text in the target language is left out, because reviewers judge without seeing another.
    """
    own = {get_language(project.source_language), get_language(project.target_language)}
    found = (each for each in _found_in(item.metadata) if get_language(each.language) not in own)
    return sorted(found, key=lambda source: source.language)


def _found_in(metadata: dict[str, Any]) -> Iterator[OtherSource]:
    for name, question in metadata.items():
        language = name.removeprefix(_QUESTION)
        if language == name or not is_known(language) or not _is_text(question):
            continue
        options = _texts(metadata.get(f"options_{language}"))
        yield OtherSource(language.replace("_", "-"), question, options)


def _texts(value: object) -> tuple[str, ...]:
    """Return a list of texts, or none for anything else."""
    is_list = isinstance(value, list) and all(isinstance(text, str) for text in value)
    return tuple(value) if is_list else ()  # type: ignore[arg-type]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
