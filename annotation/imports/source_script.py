"""Notices files whose questions cannot be in the source language, as they are in another script."""

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from annotation.importers.base import Note, SourceRow, TranslationRow
from languages import get_language

LEAST_LETTERS = 8
"""A question of fewer letters, as `DNA = ?`, tells nothing of its language."""


class SourceScript:
    """Counts the source items of each file that have no letter of the source language's script.

    Translations are not counted: checks look at them one by one. Nor are items that bring their
    own text, as those that ask for a translation do: they may be in any language.
    """

    def __init__(self, code: str) -> None:
        language = get_language(code)
        self._name = language.name
        is_known = language.script != "Zyyy"
        self._letter = regex.compile(rf"\p{{Script={language.script}}}") if is_known else None
        self._counted, self._others = Counter[str](), Counter[str]()

    def count(self, rows: Sequence[SourceRow | TranslationRow]) -> None:
        """Count the rows of one batch."""
        for row in rows:
            if self._letter and isinstance(row, SourceRow) and row.kind != "translation":
                self._counted[row.ref.file] += 1
                self._others[row.ref.file] += self._is_other(row.question)

    @property
    def notes(self) -> Iterator[Note]:
        """Yield a note on each file more than half of whose questions are in another script."""
        for file, others in self._others.items():
            if others * 2 > self._counted[file]:
                data: dict[str, str | int] = {"count": others, "all": self._counted[file]}
                data["language"] = self._name
                yield Note(file, "other_script", data)

    def _is_other(self, question: str) -> bool:
        if self._letter is None or self._letter.search(question):
            return False
        return sum(map(str.isalpha, question)) >= LEAST_LETTERS
