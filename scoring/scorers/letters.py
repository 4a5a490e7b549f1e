"""The letters of an item's options, in Latin script and in the script of a language."""

import codecs
from dataclasses import dataclass
from functools import lru_cache

from languages import get_language
from languages.letters import FULL_WIDTH, LETTERS, MAX_OPTIONS, MIN_OPTIONS

LettersSeen = tuple[str, str]
"""The valid letters in a text, as far as they can matter; both strings are in Latin letters.

First come the Latin letters. If every letter of the item occurs, they are in order with repeats.
Otherwise each is listed once, because no complete set of options can be dropped and so their
order does not matter. Second come the script letters: none if there is exactly one distinct Latin
letter, each once if there are several. Without Latin letters they follow the same rule as those.
"""


class OptionCountError(ValueError):
    """An item has fewer than two or more than ten options."""


@dataclass(frozen=True, slots=True)
class OptionLetters:
    """The valid letters of one item: the first `count` of A…J and of `script`.

    `script` is empty or has a letter for every option; its n-th letter means the n-th Latin one.
    Raises OptionCountError for fewer than 2 or more than 10 options, and ValueError for a script
    with too few letters.
    """

    count: int
    script: str = get_language("bo").option_letters

    def __post_init__(self) -> None:
        if not MIN_OPTIONS <= self.count <= MAX_OPTIONS:
            raise OptionCountError(self.count)
        if self.script and len(self.script) < self.count:
            raise ValueError(self.script)

    @property
    def latin(self) -> str:
        return LETTERS[: self.count]

    @property
    def valid_script(self) -> str:
        return self.script[: self.count]

    def seen_in(self, text: str) -> LettersSeen:
        return letter_scan(self).read(text)

    def latin_of(self, code: str) -> str | None:
        """Return the Latin letter for a Latin, full-width or script letter; None for others."""
        for letters in (LETTERS, FULL_WIDTH, self.script):
            index = letters.find(code)
            if 0 <= index < self.count:
                return LETTERS[index]
        return None


class LetterScan:
    """Finds valid letters in texts; `letter_scan` returns the one for an item's letters.

    Full-width and lower-case letters don't count. No step loops over the characters in Python, so
    that a scan takes about one microsecond for a thousand bytes.
    """

    __slots__ = ("_count", "_not_latin", "_script", "_script_codes")

    def __init__(self, letters: OptionLetters) -> None:
        self._count = letters.count
        self._not_latin = bytes(code for code in range(128) if chr(code) not in letters.latin)
        self._script = tuple(zip(letters.latin, letters.valid_script, strict=False))
        codes = dict(self._script)
        # A character set that has the script letters in place of the Latin ones. `charmap_build`
        # returns its fast kind of table if the first character is NUL; "\ufffe" means none.
        self._script_codes = codecs.charmap_build(
            "\0" + "".join(codes.get(chr(code), "\ufffe") for code in range(1, 256))
        )

    def read(self, text: str) -> LettersSeen:
        latin = text.encode("ascii", "ignore").translate(None, self._not_latin)
        if len(latin) > 1:
            distinct = bytes(sorted(set(latin)))
            if len(distinct) < self._count:
                latin = distinct
        if len(latin) == 1 or text.isascii():
            return latin.decode("ascii"), ""
        script = "".join([letter for letter, character in self._script if character in text])
        if not latin and len(script) == self._count:
            script = self._script_in(text)
        return latin.decode("ascii"), script

    def _script_in(self, text: str) -> str:
        """Return every valid script letter of `text` in order, as Latin letters."""
        codes, _ = codecs.charmap_encode(text, "ignore", self._script_codes)
        return codes.replace(b"\0", b"").decode("ascii")


@lru_cache(maxsize=64)
def letter_scan(letters: OptionLetters) -> LetterScan:
    return LetterScan(letters)
