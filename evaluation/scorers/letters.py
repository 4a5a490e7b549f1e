"""The letters that stand for an item's options, in Latin and in the script of a language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

LATIN = "ABCDEF"
FULL_WIDTH = "ＡＢＣＤＥＦ"
MIN_OPTIONS = 2
MAX_OPTIONS = len(LATIN)

SCRIPT_LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "bo": "ཀཁགངཅཆ",
        "lo": "ກຂຄງຈສ",
        "mn": "АБВГДЕ",
        "zh": "甲乙丙丁戊己",
        "en": "",
    }
)
"""A language's option letters besides the Latin ones, in order; a project may give its own."""


class OptionCountError(ValueError):
    """An item has fewer than two or more than six options."""


@dataclass(frozen=True, slots=True)
class OptionLetters:
    """The valid letters of one item: the first `count` of A…F and of `script`.

    `script` holds no letter or one for every option; its n-th letter means the n-th Latin one.
    Raises OptionCountError outside 2…6 options, ValueError for a script with too few letters.
    """

    count: int
    script: str = SCRIPT_LETTERS["bo"]

    def __post_init__(self) -> None:
        if not MIN_OPTIONS <= self.count <= MAX_OPTIONS:
            raise OptionCountError(self.count)
        if self.script and len(self.script) < self.count:
            raise ValueError(self.script)

    @property
    def latin(self) -> str:
        return LATIN[: self.count]

    @property
    def valid_script(self) -> str:
        return self.script[: self.count]

    def latin_in(self, text: str) -> str:
        """Every valid Latin letter of `text`, in order.

        Dropping everything but ASCII and then deleting bytes by table visits each character in C.
        Full-width and lower-case letters are not Latin option letters here.
        """
        ascii_text = text.encode("ascii", "ignore")
        return ascii_text.translate(None, _bytes_beside(self.count)).decode("ascii")

    def script_in(self, text: str) -> str:
        """Every valid script letter of `text`, in order, each as its Latin letter."""
        if not self.script or text.isascii():
            return ""
        others, to_latin = _script_scan(self.valid_script)
        return others.sub("", text).translate(to_latin)

    def distinct_script_in(self, text: str) -> str:
        """The valid script letters that occur in `text`, each once, as Latin letters in order.

        A few substring searches are an order of magnitude cheaper than the ordered scan.
        """
        if text.isascii():
            return ""
        pairs = zip(LATIN, self.valid_script, strict=False)
        return "".join([latin for latin, letter in pairs if letter in text])

    def latin_of(self, code: str) -> str | None:
        """The Latin letter that one character stands for: Latin, full-width or script letter."""
        for letters in (LATIN, FULL_WIDTH, self.script):
            index = letters.find(code)
            if 0 <= index < self.count:
                return LATIN[index]
        return None


@cache
def _bytes_beside(option_count: int) -> bytes:
    valid = LATIN[:option_count].encode()
    return bytes(byte for byte in range(128) if byte not in valid)


@lru_cache(maxsize=64)
def _script_scan(letters: str) -> tuple[re.Pattern[str], dict[int, str]]:
    to_latin = {ord(letter): latin for letter, latin in zip(letters, LATIN, strict=False)}
    return re.compile(f"[^{re.escape(letters)}]+"), to_latin
