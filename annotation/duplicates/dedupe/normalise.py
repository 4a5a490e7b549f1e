r"""Makes texts equal that differ only in spellings that no reader would call a difference.

`normalise` makes these equal, in this order:

1. texts that look the same, see `languages.folding`;
2. upper and lower case;
3. decimal digits of any script, by value;
4. a blank to be filled in, however it is drawn: `____`, `( )`, `（　）`;
5. sentence marks and quotation marks of Latin, Han, Tibetan, Mongolian, Lao and Arabic script;
   brackets, operators and whatever stands inside a number or formula (`1.5`, `3:2`, `-5`, `n!`) are kept;
6. runs of white space and tsheg; white space beside a Han character is nothing at all;
7. Arabic words with and without vowel signs;
8. letters and digits with and without the marks of LaTeX and HTML that lower them: `$\mathrm{CO}_2$`,
   `CO<sub>2</sub>`, CO2. Raised ones keep their `^`.
"""

import unicodedata

import regex

from languages.folding import fold

_FORMULA = regex.compile(r"(?<!\$)\$++([^$\n]{1,2000})\$++")
_NO_WEIGHT = regex.compile(r"\\(?:mathrm|mathbf|text|rm|ce)(?![a-z])|[{}\s]|_(?=[\w{])|\\[,;!]")
_LOWERED = regex.compile(r"</?sub>")
_BLANK = regex.compile(r"_{2,}|\(\s*_*\s*\)|\[\s*_*\s*\]")
_MARKS_OF_SCRIPTS = regex.compile(
    r"[\u0f04-\u0f0a\u0f0d-\u0f14\u0fd0-\u0fd4"  # Tibetan heads, shads and their kin
    r"\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30fb"  # Han sentence and quotation marks
    r"\u1800-\u180a\u0eaf"  # Mongolian marks, Lao ellipsis
    r"\u061b\u061f\u06d4"  # Arabic semicolon, question mark, full stop
    r"\u2018-\u201f\u2026\u2039\u203a\u00ab\u00bb\u22ef]|\""
    r"|\u060c(?!\d)|(?<!\d)\u060c"  # the Arabic comma, but not within a number
)
_ARABIC_VOWEL = regex.compile(r"[\u064b-\u0652\u0670]")
_LATIN_MARK = regex.compile(r"[.,;:?]+(?=$|[^\p{Latin}\d.,;:?])|(?<![\d)\]]|\b\p{L})!+")
_PERHAPS_MORE = regex.compile(r"[()\[\]_.,;:?!]")
_SEPARATOR = regex.compile(r"[\s\u0f0b\u0f0c]+")
_SPACE_AT_HAN = regex.compile(r"(?<=\p{Han}) | (?=\p{Han})")
_OTHER_DIGIT = regex.compile(r"[\p{Nd}--[0-9]]", regex.V1)
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}]")


def normalise(text: str) -> str:
    """Return the form by which two texts are compared; applying it twice changes nothing."""
    plain = fold(_without_markup(text)).casefold()
    return normalise_keeping_case(_ARABIC_VOWEL.sub("", plain))


def normalise_keeping_case(text: str) -> str:
    """Normalise, but keep `Aa` and `AA` two texts, which are two genotypes, and كَتب and كُتب."""
    text = _without_marks(_digits_by_value(fold(_without_markup(text))))
    while _PERHAPS_MORE.search(text) and (shorter := _without_marks(text)) != text:
        text = shorter
    return text


def letter_count(text: str) -> int:
    """Count letters and digits, the measure of how much there is to compare."""
    return len(_WORD_CHARACTER.findall(text))


def _without_markup(text: str) -> str:
    if "$" in text:
        text = _FORMULA.sub(lambda match: _NO_WEIGHT.sub("", match[1]), text)
    return _LOWERED.sub("", text) if "sub>" in text else text


def _without_marks(text: str) -> str:
    """Take off one layer: what is left of `(.)` is a blank."""
    text = _MARKS_OF_SCRIPTS.sub(" ", _BLANK.sub(" ", text))
    text = _SEPARATOR.sub(" ", _LATIN_MARK.sub(" ", text)).strip()
    return unicodedata.normalize("NFC", _SPACE_AT_HAN.sub("", text))


def _digits_by_value(text: str) -> str:
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0], digit[0])), text)
