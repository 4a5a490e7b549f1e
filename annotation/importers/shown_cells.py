"""Says what a person sees in the cell of a workbook; NotExact where that cannot be known."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

_RAISED: Final = str.maketrans("0123456789+-−=()niaeoxhklmpst", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵃᵉᵒˣʰᵏˡᵐᵖˢᵗ")
_LOWERED: Final = str.maketrans(
    "0123456789+-−=()aeoxhklmnpstirujv", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢᵣᵤⱼᵥ"
)
_LEVELS: Final = {"superscript": _RAISED, "subscript": _LOWERED}
_GENERAL: Final = frozenset({"", "general", "@"})
_FOLLOWS_READER: Final = frozenset({"mm-dd-yy", "m/d/yy h:mm", "general date"})
"""Dates that Excel shows in the way of each reader's system."""
_PART: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*](?P<space>.)|(?P<sign>.)', re.DOTALL
)
_COLOUR: Final = re.compile(
    r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?[0-9]+|\$-[0-9a-f]+)\]",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"(?P<whole>[#0?,]*)(?P<rest>\.[0#?]*)?(?P<power>E[+-]0+)?")
_DATE: Final = re.compile(r"y+|m+|d+|h+|s+|am/pm", re.IGNORECASE)
_DIGITS: Final = 15


class NotExact(Exception):
    """A cell whose text cannot be told; `reason` is a code of ours."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def at_level(text: str, level: str | None) -> str:
    """Return a raised or lowered text in the signs for that; raises NotExact if one has none."""
    if not level or level == "baseline" or not text.strip():
        return text
    table = _LEVELS.get(level)
    if table is None or any(ord(sign) not in table for sign in text if not sign.isspace()):
        raise NotExact("raised" if level == "superscript" else "lowered")
    return text.translate(table)


def shown_number(value: float, pattern: str) -> str:
    """Return a number as its format shows it; raises NotExact for formats beyond plain ones."""
    if pattern.lower() in _GENERAL:
        return _general(value)
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    sections = _sections(pattern)
    section = sections[0]
    sign = "-" if number < 0 else ""
    if number < 0 and len(sections) > 1:
        section, sign = sections[1], ""
    elif number == 0 and len(sections) > 2:
        section = sections[2]
    if section.lower() in _GENERAL:
        return sign + _general(-value if value < 0 else value)
    before, digits, after = _literals(section)
    scale = 2 * (before + after).count("%")
    shown = _digits(abs(number).scaleb(scale), digits)
    is_zero = not re.search("[1-9]", shown)
    return f"{'' if is_zero else sign}{before}{shown}{after}"


def _general(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    text = f"{value:.{_DIGITS}g}"
    return format(Decimal(text), "f") if "e" in text and not -1 <= value <= 1 else text


def _sections(pattern: str) -> list[str]:
    """Divide a format at the semicolons outside of quotes, without colours and languages."""
    sections = [""]
    for part in _PART.finditer(_COLOUR.sub("", pattern)):
        if part["sign"] == ";":
            sections.append("")
        else:
            sections[-1] += part[0]
    if any("[" in section for section in sections):
        raise NotExact("number_format")
    return sections


def _literals(section: str) -> tuple[str, str, str]:
    """Return the text before the digits, the pattern of the digits, and the text after them."""
    before = digits = after = ""
    for part in _PART.finditer(section):
        sign = part["sign"]
        literal = part["quoted"] or part["escaped"] or ("" if sign is None else sign)
        is_digit = sign is not None and (
            sign in "#0?.,E" or (digits.endswith("E") and sign in "+-")
        )
        if is_digit and after:
            raise NotExact("number_format")
        if is_digit:
            digits += sign
        elif part["space"] is not None:
            continue
        elif sign is not None and (sign.isalpha() or sign in "/@"):
            raise NotExact("number_format")
        elif digits:
            after += literal
        else:
            before += literal
    return before, digits, after


def _digits(number: Decimal, pattern: str) -> str:
    match = _NUMBER.fullmatch(pattern)
    if match is None or not pattern:
        raise NotExact("number_format")
    whole, rest = match["whole"], (match["rest"] or "")[1:]
    if "?" in pattern or whole.endswith(","):
        raise NotExact("number_format")
    if match["power"]:
        return _scientific(number, whole, rest, match["power"])
    rounded = number.quantize(Decimal(1).scaleb(-len(rest)), ROUND_HALF_UP)
    left, _, right = format(rounded, "f").partition(".")
    left = (left if left != "0" else "").rjust(whole.count("0"), "0")
    if "," in whole:
        ends = range(len(left), 0, -3)
        left = ",".join(reversed([left[max(0, end - 3) : end] for end in ends]))
    while right and len(right) > rest.count("0") and right.endswith("0"):
        right = right[:-1]
    return left + (f".{right}" if "." in pattern else "")


def _scientific(number: Decimal, whole: str, rest: str, power: str) -> str:
    if whole not in {"0", "#"}:
        raise NotExact("number_format")
    mantissa, _, exponent = f"{number:.{len(rest)}E}".partition("E")
    sign = "-" if exponent.startswith("-") else "+" if "+" in power else ""
    return f"{mantissa}E{sign}{exponent[1:].rjust(power.count('0'), '0')}"


def shown_date(value: datetime | date | time, pattern: str) -> str:
    """Return a date or time as its format shows it; raises NotExact where names of days or months,
    or the reader's own system, would say how.
    """
    plain = _COLOUR.sub("", _sections(pattern)[0])
    if pattern.lower() in _FOLLOWS_READER:
        raise NotExact("date_format")
    return "".join(_date_parts(value, plain))


def _date_parts(value: datetime | date | time, pattern: str) -> Iterator[str]:
    is_short_day = bool(re.search("am/pm", pattern, re.IGNORECASE))
    before = ""
    at = 0
    while at < len(pattern):
        match = _DATE.match(pattern, at)
        if match is None:
            part = _PART.match(pattern, at)
            assert part is not None  # noqa: S101 - the pattern takes any sign
            if part["sign"] is not None and part["sign"].isalpha():
                raise NotExact("date_format")
            if part["space"] is None:
                yield part["quoted"] or part["escaped"] or part["sign"] or ""
            at = part.end()
            continue
        token, after = match[0].lower(), pattern[match.end() :]
        is_minute = token[0] == "m" and (
            before == "h" or re.match(r"\A[^a-z]*s", after, re.IGNORECASE)
        )
        yield _token(value, "min" if is_minute else token[0], len(token), is_short_day=is_short_day)
        before, at = token[0], match.end()


def _token(value: datetime | date | time, unit: str, width: int, *, is_short_day: bool) -> str:
    if unit == "a":
        return "AM" if value.hour < 12 else "PM"  # type: ignore[union-attr]
    longest = {"y": 4, "m": 2, "d": 2, "h": 2, "s": 2, "min": 2}[unit]
    if width > longest or (unit == "y" and width == 3):
        raise NotExact("date_format")
    try:
        number = _UNITS[unit](value)
    except AttributeError as error:  # a time has no day, a day no hour
        raise NotExact("date_format") from error
    if unit == "y":
        return f"{number:04}" if width == 4 else f"{number % 100:02}"
    if unit == "h" and is_short_day:
        number = number % 12 or 12
    return f"{number:0{width}}"


_UNITS: Final[dict[str, Callable[..., int]]] = {
    "y": lambda value: value.year,
    "m": lambda value: value.month,
    "d": lambda value: value.day,
    "h": lambda value: value.hour,
    "min": lambda value: value.minute,
    "s": lambda value: value.second,
}
