"""The text in which a search looks for an item, as it is stored and as it is asked for."""

import unicodedata
from collections.abc import Sequence
from typing import Protocol

# No text has two characters after its last one, so it gets two that nobody types: with them, any
# one or two characters of it begin one of its trigrams.
PADDING = "\x02\x02"


class Said(Protocol):
    """An item, a text of it, or a row of an import."""

    @property
    def question(self) -> str: ...
    @property
    def options(self) -> Sequence[str]: ...
    @property
    def answer(self) -> str: ...
    @property
    def explanation(self) -> str: ...


def folded(text: str) -> str:
    """`text` as it is stored and looked for: capital letters and composed characters don't matter."""
    return unicodedata.normalize("NFC", text).casefold()


def search_text(said: Said, *, uid: str = "") -> str:
    """Return what a search looks at: the uid, of an item, and every text that there is."""
    parts = (uid, said.question, *said.options, said.answer, said.explanation)
    return folded("\n".join(filter(None, parts))) + PADDING
