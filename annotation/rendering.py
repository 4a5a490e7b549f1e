r"""Shows an item's text as people read it: formulas as MathML, tables and code as such.

The result is HTML in which everything that is not ours is escaped. What cannot be read as a formula
stays the text that it was, and so does what would take too long. Beside each rendered piece stands
the text it was made from, for those who correct it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape, unescape
from itertools import takewhile
from typing import Final
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

LONGEST_FORMULA: Final = 2_000
"""Characters; a longer formula is shown as it was typed. One of this length takes some 30 ms."""

_ALL_FORMULAS: Final = 3_000
"""Characters in the formulas of one text. The 26 texts of an item with ten options, source beside
translation, take some 0.2 s at this limit; none of 641 published texts had 400."""
_DEEPEST: Final = 40
_MOST_ELEMENTS: Final = 3_000
_WIDEST_TABLE: Final = 12

# A text without any of these is only escaped.
_SIGNS: Final = ("$", "\\", "`", "|", "^{", "_{")

_COMMANDS: Final = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho
sigma tau upsilon phi varphi chi psi omega
Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
frac dfrac tfrac binom sqrt overline underline bar hat widehat tilde vec dot ddot overrightarrow
mathrm mathbf mathit mathbb mathcal text textbf operatorname left right begin
sum prod int iint iiint oint lim limsup liminf max min sup inf sin cos tan cot sec csc arcsin arccos
arctan sinh cosh tanh log ln lg exp det dim ker gcd bigcup bigcap
leq le leqslant geq ge geqslant neq ne approx equiv sim simeq cong propto in notin ni subset
subseteq supset supseteq cup cap setminus emptyset varnothing forall exists neg land lor
times div cdot pm mp ast circ oplus otimes perp parallel angle triangle partial nabla infty
to mapsto rightarrow leftarrow Rightarrow Leftarrow leftrightarrow Leftrightarrow longrightarrow
rightleftharpoons degree prime ldots cdots vdots dots mid
"""

# A formula without delimiters holds a known command or a script in braces. It goes on as long as
# single letters, numbers, signs and further commands follow.
_ATOM: Final = (
    r"(?:\\[A-Za-z]+|\\[,;:!{}|%]|\{[^{}\n]{0,200}\}"
    r"|(?<![A-Za-z])(?![aI] )[A-Za-z](?![A-Za-z])|(?<![A-Za-z ])[A-Za-z]{2}(?![A-Za-z ])"
    r"|[0-9.]+|[{}^_()\[\]+\-−*/=<>≤≥≠±×÷·|'′&α-ωΑ-Ω∞])"
)
_BARE: Final = rf"(?<![:\\A-Za-z])(?>{_ATOM})(?:[ ]?{_ATOM})*+"
_TRIGGER: Final = re.compile(
    rf"\\(?:{'|'.join(sorted(_COMMANDS.split(), key=len, reverse=True))})(?![A-Za-z])"
    r"|[0-9A-Za-z)\]}][\^_]\{[^{}\s]{1,40}\}"
)

_PIECES: Final = re.compile(
    r"(?P<fence>```[^\n`]{0,20}\n(?P<block>(?:(?!```)[\s\S]){1,4000})```)"
    r"|`(?P<code>(?! )[^`\n]{1,200}(?<! ))`"
    rf"|\$\$(?P<display>[^$]{{1,{LONGEST_FORMULA}}})\$\$[ ]*"
    rf"|\\\[(?P<bracket>(?:(?!\\[\[\]])[\s\S]){{1,{LONGEST_FORMULA}}})\\\][ ]*"
    rf"|\\\((?P<round>(?:(?!\\[()])[\s\S]){{1,{LONGEST_FORMULA}}})\\\)"
    rf"|(?<![\\$])\$(?P<inline>(?![\s$])[^$\n]{{1,{LONGEST_FORMULA}}}(?<![\s\\]))\$(?![0-9$])"
    rf"|(?P<bare>{_BARE})"
)
_RULE: Final = frozenset("|: \t-")

# Text between dollars is prose and no formula when it holds none of these …
_MATHS: Final = re.compile(r"[\\^_{]")
# … but a longer word, words in a row, letters of another script, or a comma before the dollar.
_PROSE: Final = re.compile(
    r"[A-Za-z]{5}|[A-Za-z0-9][ ]+[A-Za-z]{2}|[A-Za-z]{2}[ ]+[A-Za-z]|[^\W\d_A-Za-z\u0370-\u03ff]|[,;，；、]$"
)
# Between the dollars of two prices stands what leads from one amount to the other: 100$–150$.
_AMOUNT: Final = re.compile(r"[-–—~～〜/,،、，;；][ ]?[0-9][0-9.,]*")
# A definition could expand without end, and no text needs one.
_DEFINITION: Final = re.compile(
    r"\\(?:[egx]?def|let|(?:new|renew|provide)command|(?:re)?newenvironment|DeclareMathOperator"
    r"|href|style|class)(?![A-Za-z])"
)
_NESTING: Final = re.compile(r"\\(?:left|begin|right|end)\b|(?:\\[A-Za-z]+[ ]*){2,}|[{}]")

_ELEMENTS: Final = """
math mrow mi mo mn ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover
mtable mtr mtd mstyle mpadded mphantom menclose
"""
_ATTRIBUTES: Final = """
accent accentunder columnalign columnspacing depth displaystyle fence form height largeop
linethickness lspace mathvariant maxsize minsize movablelimits notation rowspacing rspace
scriptlevel separator stretchy symmetric voffset width
"""
_ALLOWED: Final = frozenset(_ELEMENTS.split())
_ALLOWED_ATTRIBUTES: Final = frozenset(_ATTRIBUTES.split())
_CHILDREN: Final = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
_VALUE: Final = re.compile(r"[A-Za-z0-9.%+ -]{1,40}")


def render(text: str) -> str:
    """Return a text as safe HTML; one without a formula, table or code is only escaped."""
    if not any(sign in text for sign in _SIGNS):
        return escape(text)
    budget = _Budget(_ALL_FORMULAS)
    return "".join(_tables(text, budget) if "|" in text else _pieces(text, budget))


class _Budget:
    """The number of characters of formulas that one text may still have rendered."""

    def __init__(self, characters: int) -> None:
        self.left = characters

    def takes(self, formula: str) -> bool:
        self.left -= len(formula)
        return self.left >= 0


def _tables(text: str, budget: _Budget) -> Iterator[str]:
    """Yield a text in which a head, a rule of hyphens and rows between bars are tables."""
    lines = text.split("\n")
    plain: list[str] = []
    at = 0
    while at < len(lines):
        rows = _table_at(lines, at)
        if rows:
            yield from _pieces("\n".join(plain), budget)
            raw = "\n".join(lines[at : at + len(rows) + 1])
            yield _block(raw, f"<table>{''.join(_rows(rows, budget))}</table>")
            at += len(rows) + 1
            plain = []
        else:
            plain.append(lines[at])
            at += 1
    yield from _pieces("\n".join(plain), budget)


def _table_at(lines: list[str], at: int) -> list[list[str]]:
    """Return the rows of the table that begins at a line, none where none begins."""
    if at + 2 >= len(lines) or "|" not in lines[at] or "|" not in lines[at + 1]:
        return []
    head, width = _cells(lines[at]), len(_cells(lines[at + 1]))
    if not 2 <= len(head) == width <= _WIDEST_TABLE or not _is_rule(lines[at + 1]):
        return []
    body = takewhile(lambda line: "|" in line, lines[at + 2 :])
    rows = [_cells(line) for line in body]
    return [head, *rows] if rows else []


def _is_rule(line: str) -> bool:
    """Return whether a line is the rule under a head; no pattern, which would try every division."""
    return "--" in line and set(line) <= _RULE


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _rows(rows: list[list[str]], budget: _Budget) -> Iterator[str]:
    width = len(rows[0])
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        cells = (row + [""] * width)[:width]
        inside = "".join(f"<{tag}>{''.join(_pieces(cell, budget))}</{tag}>" for cell in cells)
        yield f"<tr>{inside}</tr>"


def _pieces(text: str, budget: _Budget) -> Iterator[str]:
    end = 0
    for match in _PIECES.finditer(text):
        html = _piece(match, budget)
        if html:
            yield escape(text[end : match.start()])
            yield html
            end = match.end()
    yield escape(text[end:])


def _piece(match: re.Match[str], budget: _Budget) -> str:
    """Return the HTML of one match, '' where it is to stay as it is."""
    kind = match.lastgroup or ""
    whole = match[0]
    if kind == "fence":
        return _block(whole, f'<pre dir="ltr"><code>{escape(match["block"])}</code></pre>')
    if kind == "code":
        return _run(whole, f'<code dir="ltr">{escape(match["code"])}</code>')
    formula = match[kind].strip()
    if kind == "inline" and _is_prose(match, formula):
        return ""
    if kind == "bare":
        return _bare(whole, budget)
    if not budget.takes(formula):
        return ""
    math = _math(formula, kind in ("display", "bracket"))
    return _run(whole, math) if math else ""


def _is_prose(match: re.Match[str], formula: str) -> bool:
    if _MATHS.search(formula):
        return False
    is_after_amount = match.string[: match.start()][-1:].isdigit()
    return bool(_PROSE.search(formula) or (is_after_amount and _AMOUNT.fullmatch(formula)))


def _bare(run: str, budget: _Budget) -> str:
    """Render a formula without delimiters; marks that end a sentence are no part of it."""
    formula = run.rstrip(".,")
    if not _TRIGGER.search(formula) or len(formula) > LONGEST_FORMULA or not budget.takes(formula):
        return ""
    math = _math(formula, is_display=False)
    return _run(formula, math) + escape(run[len(formula) :]) if math else ""


def _run(raw: str, html: str) -> str:
    return f'<span class="made">{html}</span><span class="raw">{escape(raw)}</span>'


def _block(raw: str, html: str) -> str:
    return f'<div class="made">{html}</div><div class="raw">{escape(raw)}</div>'


@lru_cache(maxsize=1024)
def _math(formula: str, is_display: bool) -> str:
    """Return the MathML of a formula, '' where it cannot be read or is too large."""
    if _DEFINITION.search(formula) or _depth(formula) > _DEEPEST:
        return ""
    try:
        tree = convert_to_element(formula, display="block" if is_display else "inline")
    except (Exception, RecursionError):  # noqa: BLE001 - what people type breaks it in many ways
        return ""
    parts = list(_rebuilt(tree, _DEEPEST * 3))
    if None in parts or len(parts) > 2 * _MOST_ELEMENTS:
        return ""
    return "".join(part for part in parts if part)


def _depth(formula: str) -> int:
    """Say how deep a formula may nest: braces, and commands that take the next one as argument."""
    deepest = depth = 0
    for token in _NESTING.findall(formula):
        if token in ("{", "\\left", "\\begin"):
            depth += 1
        elif token in ("}", "\\right", "\\end"):
            depth -= 1
        deepest = max(deepest, depth + token.count("\\"))
    return deepest


def _rebuilt(element: Element, depth: int) -> Iterator[str | None]:
    """Yield an element anew from what is allowed; None for one that is not."""
    has_all = len(element) == _CHILDREN.get(element.tag, len(element))
    is_unknown = (element.text or "").startswith("\\") and len(element.text or "") > 1
    if element.tag not in _ALLOWED or not depth or not has_all or is_unknown:
        yield None
        return
    kept = (
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ALLOWED_ATTRIBUTES and _VALUE.fullmatch(value)
    )
    shown = ' display="block"' if element.attrib.get("display") == "block" else ""
    yield f"<{element.tag}{shown}{''.join(kept)}>" + escape(
        unescape(element.text or ""), quote=False
    )
    for child in element:
        yield from _rebuilt(child, depth - 1)
    yield f"</{element.tag}>"
