"""What no translation may change: numbers, formulas, Latin terms, brackets and blanks of a text."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_DIGIT: Final = r"[\d\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]"
_NUMBER: Final = re.compile(
    rf"{_DIGIT}{{1,3}}(?:[,٬]{_DIGIT}{{3}})+(?!{_DIGIT})(?:[.٫]{_DIGIT}+)?|{_DIGIT}+(?:[.٫]{_DIGIT}+)*"
)
_FORMULA: Final = re.compile(r"\$([^$\n]{1,2000})\$")
_TERM: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_BLANK: Final = re.compile(
    r"_{2,}|＿{2,}|[(（][ \t\u3000\u00a0]*[)）]|[\[【［][ \t\u3000\u00a0]*[\]】］]"
)
_NON_LATIN_WORDS: Final = re.compile(
    r"[\u0e80-\u0eff\u0f00-\u0fff\u1800-\u18af\u0400-\u04ff\u2e80-\u9fff\uf900-\ufaff]+"
)
_FRACTION: Final = re.compile(r"\\[dt]frac")
_NO_WEIGHT: Final = re.compile(r"\s+|\\[,;!]|[༌་]")
_MARKUP: Final = re.compile(r"\\(?:mathrm|mathbf|text|rm|left|right)|[\s\\${}^_]+")
_GREEK: Final = {
    "α": "alpha", "β": "beta", "χ": "chi", "μ": "mu", "π": "pi", "σ": "sigma", "λ": "lambda",
}  # fmt: skip
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789") | str.maketrans(
    _GREEK
)
_SIGNS: Final = str.maketrans("，；：（）＝＋－×～", ",;:()=+-*~")
_OPEN: Final = "([{（［｛【《〈「『"
_CLOSE: Final = ")]}）］｝】》〉」』"
_PAIRS: Final = dict(zip(")]}】》〉」』", "([{【《〈「『", strict=True))
_WIDE_BRACKETS: Final = str.maketrans("（）［］｛｝", "()[]{}")
_BRACKET: Final = re.compile(f"[{re.escape(_OPEN + _CLOSE)}]")


def formulas(text: str) -> list[str]:
    """Return the LaTeX between dollar signs without spaces, doubled backslashes and words."""
    if "$" not in text:
        return []
    return [_plain_formula(found) for found in _FORMULA.findall(text)]


def _plain_formula(formula: str) -> str:
    plain = formula.translate(_SIGNS).replace("\\\\", "\\")
    plain = _FRACTION.sub(r"\\frac", plain)
    return _NO_WEIGHT.sub("", _NON_LATIN_WORDS.sub("", plain))


def plain_math(text: str) -> str:
    """Return mathematics as it reads without LaTeX: no fonts, braces, backslashes or spaces."""
    plain = text.translate(_SIGNS).translate(_RAISED)
    return _MARKUP.sub("", plain)


def without_formulas(text: str) -> str:
    """Return the text with every LaTeX formula replaced by a space."""
    return _FORMULA.sub(" ", text) if "$" in text else text


def numbers(text: str) -> list[str]:
    """Return the numbers outside formulas in one spelling: ASCII digits, no idle zeros."""
    return [_plain_number(found) for found in _NUMBER.findall(without_formulas(text))]


def _plain_number(number: str) -> str:
    if not number.isascii():
        number = "".join(_ascii(character) for character in number)
    whole, point, rest = number.replace(",", "").partition(".")
    if point and "." not in rest:
        rest = rest.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{rest}" if rest else whole


@lru_cache(maxsize=512)
def _ascii(character: str) -> str:
    if character in ".,":
        return character
    if character in "٫٬":
        return "." if character == "٫" else ","
    return str(unicodedata.digit(character))


def latin_terms(text: str) -> list[str]:
    """Return Latin terms that are kept in any language: those with two capitals."""
    return [term for term in _TERM.findall(without_formulas(text)) if _is_kept(term)]


def words(text: str) -> list[str]:
    """Return all Latin words and abbreviations, formulas included."""
    return _TERM.findall(text)


def _is_kept(term: str) -> bool:
    if len(term) == 1 or term.islower():
        return False
    return sum(letter.isupper() for letter in term) > 1


def blanks(text: str) -> list[tuple[int, int]]:
    """Return the spans of blanks to be filled in."""
    return [match.span() for match in _BLANK.finditer(text)]


def unbalanced_bracket(text: str) -> int | None:
    """Return the place of the first bracket without its partner, or None.

    Half-open intervals as [0, 1) are no fault: round and square brackets may close each other.
    """
    stack: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(text):
        bracket = match[0].translate(_WIDE_BRACKETS)
        if bracket not in _PAIRS:
            stack.append((bracket, match.start()))
        elif stack and _fits(stack[-1][0], bracket):
            stack.pop()
        else:
            return match.start()
    return stack[0][1] if stack else None


def _fits(opening: str, closing: str) -> bool:
    return _PAIRS[closing] == opening or (opening in "([" and closing in ")]")


def signature(text: str) -> tuple[str, ...]:
    """Return all that a translation keeps, kind by kind, to know an option again."""
    return (*numbers(text), *formulas(text), *latin_terms(text))
