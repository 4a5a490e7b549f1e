"""Makes texts equal that look the same to a reader, whatever characters they are made of.

`fold` is for comparing only; nothing stores what it returns. It makes these equal:

1. sequences with the same NFC form, CJK compatibility ideographs among them;
2. CJK radicals (⼀, ⻓) and the ideographs that they are the shape of (一, 长);
3. Lao vowel signs and tone marks in any order, in one character or two (ນ້ຳ, ນຳ້, ນໍ້າ; ກີ້, ກ້ີ), ແ
   and two ເ, and ໜ, ໝ, ຫຼ and their letters (ຫນ, ຫມ, ຫລ);
4. Tibetan tshegs of either kind, a space where a tsheg belongs, double vowels, fixed forms, ༎ and །།;
5. full-width, half-width and presentation forms, ligatures, unit signs (℃, ㎏) and Roman numerals;
6. hyphens and minus signs, spaces of any width, digits below the line (H₂O, H2O), but never raised
   ones, since 10² is not 102;
7. texts with and without zero-width characters, variation selectors and tatweel;
8. kaf, yeh and digits as Arabic or Persian has them.

The scripts of the world share none of these characters, so one function folds every language.
"""

import re
import unicodedata
from typing import Final

# The ideographs of U+2E80 to U+2EF3, as Unicode lists them (EquivalentUnifiedIdeograph.txt).
_RADICALS: Final = (
    "⺁厂⺂乛⺃乚⺄乙⺅亻⺆冂⺇几⺈⺈⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺑尣⺒巳⺓幺⺔彑⺕彐⺖忄⺗㣺⺘扌⺙攵⺛旡⺜日"
    "⺝月⺞歺⺟母⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王⺪疋⺫目⺬示⺭礻⺮竹⺯糹⺰纟⺱罓⺲罒⺳罓⺴罓"
    "⺵⺵⺶羊⺷羊⺸羊⺹耂⺺肀⺻聿⺼月⺽臼⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀⻄西⻅见⻆角⻇𧢲⻈讠⻉贝⻊足⻋车⻌辶⻍辶"
    "⻎辶⻏阝⻐钅⻑長⻒镸⻓长⻔门⻕阝⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻞飠⻟飠⻠饣⻡首⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤"
    "⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龟⻲亀⻳龟"
)
_NOTHING: Final = (
    *(0xAD, 0x34F, 0x61C, 0x640),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *(0xFEFF, *range(0xFE00, 0xFE10)),
    *range(0xE0000, 0xE01F0),
)
_SPACES: Final = (0x9, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
_HYPHENS: Final = (*range(0x2010, 0x2014), 0x2212, 0xFE63)
_COMPATIBLE: Final = (
    *range(0x2F00, 0x2FD6),
    *range(0xFB00, 0xFB07),
    *range(0xFB50, 0xFDFC),
    *range(0xFE70, 0xFEFD),
    *range(0xFF01, 0xFFE7),
    *range(0x3300, 0x3400),
    *range(0x2160, 0x2180),
    *range(0x2080, 0x208F),
    *(0x2103, 0x2109, 0xB5, 0x0F77, 0x0F79),
)
_SAME_SHAPE: Final = {
    "\u0f0c": "་", "\u0f6a": "ར", "\u0fba": "\u0fad", "\u0fbb": "\u0fb1", "\u0fbc": "\u0fb2",
    "\u0f7b": "\u0f7a\u0f7a", "\u0f7d": "\u0f7c\u0f7c", "༎": "།།", "ༀ": "ཨོཾ",
    "ໜ": "ຫນ", "ໝ": "ຫມ", "ک": "ك", "ی": "ي", "’": "'", "‘": "'", "“": '"', "”": '"',
}  # fmt: skip


def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = dict.fromkeys(_NOTHING)
    table |= dict.fromkeys(_SPACES, " ") | dict.fromkeys(_HYPHENS, "-")
    for code in _COMPATIBLE:
        plain = unicodedata.normalize("NFKC", chr(code))
        if plain != chr(code):
            table[code] = plain
    table |= dict(zip(range(0x6F0, 0x6FA), "٠١٢٣٤٥٦٧٨٩", strict=True))
    table |= dict(zip(map(ord, _RADICALS[::2]), _RADICALS[1::2], strict=True))
    return table | {ord(shape): plain for shape, plain in _SAME_SHAPE.items()}


_FOLDED: Final = _table()
# A set: a pattern of signs beyond U+FFFF takes 25 times as long to search.
_CHANGED: Final = frozenset({*map(chr, _FOLDED), *"ຳໍຼເ\u0ec8\u0ec9\u0eca\u0ecb"})
_LAO_TWO: Final = re.compile("\u0ecd([\u0ec8-\u0ecb]?)\u0eb2")
_LAO_TONE_AFTER: Final = re.compile("\u0eb3([\u0ec8-\u0ecb])")
_LAO_TONE_BEFORE: Final = re.compile("([\u0ec8-\u0ecb])([\u0eb1\u0eb4-\u0ebb])")
_LAO_SIGN: Final = re.compile("[ເ\u0eb3\u0ec8-\u0ecb\u0ecd]")
_SPACE_FOR_TSHEG: Final = re.compile("(?<=[\u0f40-\u0fbc]) (?=[\u0f40-\u0fbc])")
_RADICAL: Final = re.compile("[\u2e80-\u2fd5\uf900-\ufaff\U0002f800-\U0002fa1d]")


_ARABIC_FORM: Final = re.compile("[\ufb50-\ufd3d\ufd50-\ufdfb\ufe80-\ufefc]")
_CYRILLIC: Final = str.maketrans("aceopxyABCEHKMOPTXYɵƟѳѲ", "асеорхуАВСЕНКМОРТХҮөӨөӨ")
_SURELY_CYRILLIC: Final = "бвгдёжзийклмнптфцчшщъыьэюяөүБГДЁЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯӨҮ"
# The letter comes first, so that the engine leaps from one to the next.
LATIN_IN_CYRILLIC: Final = re.compile(
    f"[aceopxyABCEHKMOPTXYɵƟѳѲ](?:(?<=[{_SURELY_CYRILLIC}].)(?![A-Za-z])|(?<=[ɵƟѳѲ])"
    "|(?<=[\u0400-\u04ff].)(?=[\u0400-\u04ff])|(?<![A-Za-z0-9].)(?=[а-яёөү]{5}))"
)


def fold(text: str) -> str:
    """Return the form in which texts that look the same are equal; twice is the same as once."""
    text = fold_signs(text)
    return _SPACE_FOR_TSHEG.sub("་", text) if " " in text and not text.isascii() else text


def fold_signs(text: str) -> str:
    """Fold, but leave a space where Tibetan needs a tsheg: it may as well part two words."""
    if text.isascii():
        return text.replace("\t", " ") if "\t" in text else text
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    if _CHANGED.isdisjoint(text):
        return text
    text = unicodedata.normalize("NFC", text.translate(_FOLDED))
    if _LAO_SIGN.search(text):
        text = lao_in_order(text)
    return text.replace("ຫຼ", "ຫລ")


def lao_in_order(text: str) -> str:
    """Return a text with its vowel signs as keyboards write them.

    That is each before its tone mark, but sara am in one character after it, and ແ for two ເ.
    """
    text = _LAO_TONE_AFTER.sub("\\1\u0eb3", _LAO_TWO.sub("\\1\u0eb3", text))
    return _LAO_TONE_BEFORE.sub("\\2\\1", text).replace("ເເ", "ແ")


def plain_ideographs(text: str) -> str:
    """Return a text with ideographs for CJK radicals and compatibility ideographs."""
    return _RADICAL.sub(lambda sign: _plain_ideograph(sign[0]), text)


def joined_arabic(text: str) -> str:
    """Return a text with plain letters for the forms that Arabic letters take beside others."""
    return _ARABIC_FORM.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text)


def plain_cyrillic(text: str) -> str:
    """Return a text with Cyrillic letters for Latin ones that look the same within Cyrillic words.

    A first letter counts only before five others: xийн may be the variable x.
    """
    return LATIN_IN_CYRILLIC.sub(lambda sign: sign[0].translate(_CYRILLIC), text)


def _plain_ideograph(sign: str) -> str:
    return _FOLDED.get(ord(sign)) or unicodedata.normalize("NFC", sign)
