r"""LaTeX whose backslashes are gone: `frac{1}{2}` for `\frac{1}{2}`, `Rtimes C` for `R\times C`, `{1}` for `\{1\}`."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from annotation.checks.catalogue import tokens

_COMMAND: Final = re.compile(r"(\\{0,2}[A-Za-z]{0,20})(?<!\\)\\{1,2}([a-zA-Z]{2,20})")
# A function is written upright in plain text too, so that only a formula shows the loss.
_FUNCTIONS: Final = frozenset(
    (
        "sin",
        "cos",
        "tan",
        "cot",
        "ln",
        "log",
        "lg",
        "exp",
        "lim",
        "max",
        "min",
        "arcsin",
        "arccos",
        "arctan",
    )
)
_WITH_GROUP: Final = (
    "[dt]?frac|sqrt|mathrm|mathbf|mathbb|text|overline|underline|vec|hat|begin|end|operatorname"
)
_OPERATORS: Final = {
    "×": "times", "÷": "div", "≤": "leq", "≥": "geq", "≠": "neq", "±": "pm", "·": "cdot",
    "∞": "infty", "≈": "approx", "√": "sqrt",
}  # fmt: skip
_OPERATOR: Final = re.compile(f"[{''.join(_OPERATORS)}]")
_SYMBOLS: Final = (
    "pi|mu|alpha|beta|gamma|delta|epsilon|varepsilon|theta|lambda|sigma|omega|varphi|"
    f"{'|'.join(_OPERATORS.values())}"
)
_OPENED: Final = re.compile(rf"(?<![\\A-Za-z])(?:{_WITH_GROUP})(?=\{{)")
_IN_FORMULA: Final = re.compile(rf"(?<![\\A-Za-z{{])(?:{_SYMBOLS}|frac(?=\d))(?![A-Za-z])")
_FORMULA: Final = re.compile(r"\$([^$\n]{1,2000})\$")
_OPERAND_BEFORE: Final = r"(?:(?<=[\d)])|(?<![A-Za-z])[A-Za-z])"
_MOST: Final = 50


def may_be_bare(source: str, target: str) -> bool:
    """Return whether there is anything that a command without its backslash comes from: quick to see."""
    return "$" in target or "{" in target or "\\" in source or _OPERATOR.search(source) is not None


def bare_commands(source: str, target: str) -> list[str]:
    r"""Return the commands that a translation has without their backslash, each as `\frac`.

    That is a command of the source, or one that only LaTeX has where the source has none.
    """
    found = [*_of_source(source, target), *_unknown(source, target)]
    return list(dict.fromkeys(f"\\{name}" for name in found))[:_MOST]


def without_backslashes(formula: str, others: Sequence[str]) -> bool:
    r"""Return whether another formula is this one with fewer backslashes, as `{1}` is `\{1\}`."""
    bare = formula.replace("\\", "")
    count = formula.count("\\")
    return any(each.count("\\") < count and each.replace("\\", "") == bare for each in others)


def _of_source(source: str, target: str) -> Iterator[str]:
    if "\\" not in source:
        return
    for before, name in dict.fromkeys(_COMMAND.findall(source)):
        if name in _FUNCTIONS:
            continue
        start = before.replace("\\\\", "\\")
        bare = re.compile(rf"(?<![\\A-Za-z]){re.escape(start)}{name}(?![a-z])")
        if bare.search(target) and not bare.search(source):
            yield name


def _unknown(source: str, target: str) -> Iterator[str]:
    names = _OPENED.findall(target) if "{" in target else []
    if "$" in target:
        names += [name for each in _FORMULA.findall(target) for name in _IN_FORMULA.findall(each)]
    for sign in dict.fromkeys(_OPERATOR.findall(source)):
        names += re.findall(
            rf"{_OPERAND_BEFORE}\s?({_OPERATORS[sign]})(?=\s?[A-Za-z\d(](?![a-z]))", target
        )
    known = set(tokens.words(source))
    yield from (name for name in names if name not in known)
