"""Compares the names that people type, so that two that look alike are one."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_SPACES: Final = {ord("_"): " "}
_CYRILLIC_OR_GREEK: Final = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u043a\u043c\u0442\u03bf"
)
"""Small letters of which the capital, too, looks like one of Latin: those of `_LATIN`, in order."""
_LATIN: Final = "aeopcyxijskmto"
# Signs that are no format characters, and that nobody sees: joiners, fillers, variation selectors.
_UNSEEN: Final = (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810))
_SELECTORS: Final = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_SAME: Final = {
    ord("ک"): "ك",
    ord("ی"): "ي",
    0x2800: " ",  # a Braille cell without a dot
    **dict.fromkeys((*_UNSEEN, *_SELECTORS)),
    **str.maketrans(_CYRILLIC_OR_GREEK, _LATIN),
}
_LAO_ORDER: Final = re.compile("([\u0ec8-\u0ecb])\u0ecd")
_ENDS: Final = " ་།"
# Of the supplement of CJK radicals, NFKC knows two: these are the others that stand for an
# ideograph of their own. The Kangxi radicals are all known to NFKC.
_RADICALS: Final = str.maketrans(
    "⺠⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻨⻩⻬⻮⻰",
    "民西见角贝车长门青韦页风飞食马骨鬼鱼鸟麦黄齐齿龙",
)


@lru_cache(maxsize=4096)
def fold_name(text: str) -> str:
    """Return what two names have in common that look alike; it is never shown.

    Width, case, compatibility forms, CJK radicals, signs that nobody sees, the kind and number of
    spaces and underscores, Tibetan marks at the ends, the order of Lao signs, whether kaf and yeh
    are Arabic or Persian, and whether a letter such as “a” is Latin or Cyrillic do not count.
    """
    if text.isascii():
        return " ".join(text.lower().replace("_", " ").split())
    plain = unicodedata.normalize("NFKC", text.translate(_RADICALS)).casefold()
    seen = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")  # zero width
    seen = _LAO_ORDER.sub("\u0ecd\\1", seen.translate(_SAME))
    seen = seen.strip(_ENDS) or seen
    return " ".join(unicodedata.normalize("NFKC", seen).translate(_SPACES).split())


def one_line(text: str) -> str:
    """Return a name as others may be shown it: in one line, each sign of it seen; "" if none is.

    Signs that turn the direction of text are left out.
    """
    signs = (_shown(sign) for sign in text)
    found = " ".join("".join(signs).split())
    return found if fold_name(found) else ""


def _shown(sign: str) -> str:
    if sign.isprintable():
        return sign
    return "" if unicodedata.category(sign) == "Cf" else " "
