"""Finds in a text what no translation may change: formulas, Latin terms, brackets and blanks."""

import re
from functools import lru_cache
from typing import Final

from annotation.checks.catalogue.digits import (
    DIGITS_ON_THE_LINE,
    LOWERED_DIGITS,
    RAISED_DIGITS,
)
from annotation.checks.catalogue.numbers import numbers, without_formulas

_FORMULA: Final = re.compile(r"\$([^$\n]{1,2000})\$")
_COMMAND: Final = re.compile(r"(?<!\\)\\+([a-zA-Z]+)")
_TERM: Final = re.compile(r"[A-Za-z][A-Za-z0-9₀-₉]*")
_ELEMENTS: Final = (
    "A[cglmrstu]|B[aehikr]?|C[adefl-orsu]?|D[bsy]|E[rsu]|F[elmr]?|G[ade]|H[efgos]?|I[nr]?|Kr?|L[airuv]|"
    "M[cdgnot]|N[abdehiop]?|O[gs]?|P[abdmortu]?|R[abefghnu]|S[bcegimnr]?|T[abcehilm]|U|V|W|Xe|Yb?|Z[nr]"
)
_CHEMICAL: Final = re.compile(rf"(?:(?:{_ELEMENTS})\d*){{2,20}}")
_FORMULA_OR_TERM_SIGN: Final = re.compile(r"[$A-Z]")
_CAPITAL: Final = re.compile(r"[A-Z]")
_ROMAN: Final = re.compile(r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})")
_BLANK: Final = re.compile(
    r"[_＿(（\[【［](?:(?<=_)_+|(?<=＿)＿+|(?<=[(（])[ \t\u3000\u00a0]*[)）]"
    r"|(?<=[\[【［])[ \t\u3000\u00a0]*[\]】］])"
)
_NON_LATIN_WORDS: Final = re.compile(
    r"[\u0e80-\u0eff\u0f00-\u0fff\u1800-\u18af\u0400-\u04ff\u2e80-\u9fff\uf900-\ufaff]+"
)
_FRACTION: Final = re.compile(r"\\[dt]frac")
_NO_WEIGHT: Final = re.compile(r"\\?\s+|\\[,;:!]|[༌་]")
_MARKUP: Final = re.compile(r"\\(?:mathrm|mathbf|text|rm|left|right)|[\s\\${}^_]+")
_SHORTER: Final = re.compile(r"(\\(?:le|ge|ne))(?:q|qslant)(?![a-z])")
_SIZES: Final = re.compile(r"\\(?:mathrm|mathbf|text|rm|left|right)(?![a-z])")
_FUNCTION: Final = re.compile(
    r"(\\(?:sin|cos|tan|cot|ln|log|lg|exp|arcsin|arccos|arctan))\(([^()]*)\)"
)
_INNER_FRACTION: Final = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
_INNER_GROUP: Final = re.compile(r"(\\frac)?\{([^{}]*)\}")
_ONE: Final = re.compile(r"\\[A-Za-z]+|.")
_DEEPEST: Final = 20
_NAMED: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "θ": "theta", "λ": "lambda",
    "μ": "mu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "χ": "chi", "ω": "omega",
    "±": "pm", "∓": "mp", "·": "cdot", "÷": "div", "≤": "le", "≥": "ge", "≠": "ne",
    "≈": "approx", "∞": "infty", "√": "sqrt", "°": "circ", "∠": "angle", "△": "triangle", "∪": "cup",
    "∩": "cap", "∈": "in", "⊂": "subset", "⊥": "perp", "∥": "parallel",
}  # fmt: skip
_OFF_THE_LINE: Final = re.compile(f"[{RAISED_DIGITS}{LOWERED_DIGITS}]")
_RAISED: Final = DIGITS_ON_THE_LINE | str.maketrans(_NAMED)
_SIGNS: Final = str.maketrans("，；：（）＝＋－×～", ",;:()=+-*~")
_OPEN: Final = "([{（［｛【《〈「『"
_CLOSE: Final = ")]}）］｝】》〉」』"
_PAIRS: Final = dict(zip(")]}】》〉」』", "([{【《〈「『", strict=True))
_WIDE_BRACKETS: Final = str.maketrans("（）［］｛｝", "()[]{}")
_COMMON_PAIRS: Final = frozenset({"()", "（）", "《》", "《》《》", "()()", "（）（）"})
_BRACKET: Final = re.compile(f"[{re.escape(_OPEN + _CLOSE)}]")


def formulas(text: str) -> list[str]:
    """Return the LaTeX between dollar signs without spaces, doubled backslashes and words."""
    if "$" not in text:
        return []
    return [_plain_formula(found) for found in _FORMULA.findall(text)]


def commands(text: str) -> list[str]:
    """Return the LaTeX commands that stand outside of formulas, without their backslash."""
    return _COMMAND.findall(without_formulas(text)) if "\\" in text else []


def _plain_formula(formula: str) -> str:
    plain = formula.translate(_SIGNS).replace("\\\\", "\\")
    plain = _FRACTION.sub(r"\\frac", plain)
    return _NO_WEIGHT.sub("", _NON_LATIN_WORDS.sub("", plain))


def canonical_formula(formula: str) -> str:
    r"""Return a plain formula in one of several spellings that mean the same.

    `\frac{a}{b}` reads `a/b`, a group of one character needs no braces, other braces are round
    brackets, and the argument of a function such as `\sin` needs none.
    """
    text = _SIZES.sub("", formula)
    for _ in range(_DEEPEST):
        shorter = _INNER_FRACTION.sub(lambda m: f"{_group(m[1])}/{_group(m[2])}", text)
        if shorter == text:
            shorter = _INNER_GROUP.sub(lambda m: m[0] if m[1] else _group(m[2]), text)
        if shorter == text:
            break
        text = shorter
    return _FUNCTION.sub(r"\1\2", text)


def _group(text: str) -> str:
    return text if _ONE.fullmatch(text) else f"({text})"


def plain_math(text: str) -> str:
    """Return mathematics as it reads without LaTeX: no fonts, braces, backslashes or spaces."""
    plain = _SHORTER.sub(r"\1", text.translate(_SIGNS)).replace("\\times", "*")
    return _MARKUP.sub("", plain.translate(_RAISED))


def holds_whole(text: str, part: str) -> bool:
    """Return whether a text has a part that no further digit makes another number: 2 is not in 20."""
    at = text.find(part)
    while at >= 0 and part:
        end = at + len(part)
        is_longer = part[-1].isdecimal() and text[end : end + 1].isdecimal()
        is_later = part[0].isdecimal() and text[max(at - 1, 0) : at].isdecimal()
        if not is_longer and not is_later:
            return True
        at = text.find(part, at + 1)
    return not part


def in_plain_math(text: str) -> str:
    """Return a text with its formulas as they read without LaTeX."""
    return _FORMULA.sub(lambda match: f" {plain_math(match[1])} ", text) if "$" in text else text


def latin_terms(text: str) -> list[str]:
    """Return Latin terms that are kept in any language: those with two capitals, as NH3 for NH₃.

    Roman numerals up to XXXIX are numbers, and a translation may write them as such.
    """
    if not _CAPITAL.search(text):
        return []
    found = _TERM.findall(without_formulas(text))
    return [term.translate(DIGITS_ON_THE_LINE) for term in found if _is_kept(term)]


def is_chemical(term: str) -> bool:
    """Return whether a term is made of two or more symbols of elements, as NH3, NO or CPU are."""
    return _CHEMICAL.fullmatch(term) is not None


def words(text: str) -> list[str]:
    """Return all Latin words and abbreviations, formulas included."""
    return _TERM.findall(text)


def plain_term(text: str) -> str:
    """Return a text in which Latin terms are compared: small letters, and CO2 for CO₂."""
    return _unraised(text).lower()


def _unraised(text: str) -> str:
    """Return a text with plain digits for raised and lowered ones; few texts have any."""
    return text.translate(DIGITS_ON_THE_LINE) if _OFF_THE_LINE.search(text) else text


def _is_kept(term: str) -> bool:
    if len(term) == 1 or term.islower():
        return False
    return len(_CAPITAL.findall(term)) > 1 and not _ROMAN.fullmatch(term)


def blanks(text: str) -> list[tuple[int, int]]:
    """Return the spans of blanks to be filled in."""
    return [match.span() for match in _BLANK.finditer(text)]


def has_bracket(text: str) -> bool:
    """Return whether there is any bracket at all."""
    return _BRACKET.search(text) is not None


def unbalanced_bracket(text: str) -> int | None:
    """Return the place of the first bracket without its partner, or None.

    Half-open intervals as [0, 1) are no fault: round and square brackets may close each other.
    """
    found = _BRACKET.findall(text)
    if not found or "".join(found) in _COMMON_PAIRS:
        return None
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


@lru_cache(maxsize=64)
def kept(text: str) -> tuple[str, ...]:
    """Return all that a translation keeps, sorted, to know an option again; () for mere words."""
    found = numbers(text)
    if _FORMULA_OR_TERM_SIGN.search(text):
        found += [*formulas(text), *latin_terms(text)]
    return tuple(sorted(found))
