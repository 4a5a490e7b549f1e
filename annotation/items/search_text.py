"""The text in which a search looks for an item, as it is stored and as it is asked for."""

import unicodedata

# No text has two characters after its last one, so it gets two that nobody types: with them, any
# one or two characters of it begin one of its trigrams.
PADDING = "\x02\x02"


def folded(text: str) -> str:
    """`text` as it is stored and looked for: capital letters and composed characters don't matter."""
    return unicodedata.normalize("NFC", text).casefold()


def search_text(*parts: str) -> str:
    """What a search looks at, of the uid and question of an item or the question of a translation."""
    return folded("\n".join(parts)) + PADDING
