"""Compares the names that people type, so that two that look alike are one."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_SPACES: Final = {ord("_"): " "}
_SAME: Final = {ord("ک"): "ك", ord("ی"): "ي", **dict.fromkeys(range(0x180B, 0x1810))}
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

    Width, case, compatibility forms, CJK radicals, zero-width signs, the kind and number of spaces
    and underscores, Tibetan marks at the ends, the order of Lao signs, and whether kaf and yeh are
    Arabic or Persian do not count.
    """
    if text.isascii():
        return " ".join(text.lower().replace("_", " ").split())
    plain = unicodedata.normalize("NFKC", text.translate(_RADICALS)).casefold()
    seen = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")  # zero width
    seen = _LAO_ORDER.sub("\u0ecd\\1", seen.translate(_SAME)).strip(_ENDS) or seen
    return " ".join(unicodedata.normalize("NFKC", seen).translate(_SPACES).split())
