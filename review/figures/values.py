"""Read the values of a table of judgements: what is missing, what is one value, what is a number."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

MISSING = (
    *("", "na", "n/a", "#n/a", "<na>", "nan", "none", "null", "nil", "missing"),
    *("n.a.", "n.a", "undefined", "缺失", "?", "-", "–", "—", "--", ".", "...", "…"),
)
"""What stands for no value, in small letters."""
LONGEST = 18
_MINUS = dict.fromkeys(map(ord, "−–"), "-")
_DECIMAL_COMMA = re.compile(r"([+-]?[0-9]{1,3})[,٫]([0-9]{1,2})")
_NUMBER = re.compile(rf"[+-]?[0-9]{{1,{LONGEST}}}(?:\.[0-9]{{1,{LONGEST}}})?")


@dataclass(frozen=True, slots=True)
class ReadValues:
    """The values by row, all whole numbers if the file has numbers alone.

    Numbers with decimals are multiplied so that they are whole: only their order counts.
    `odd_row` is the first row whose value is not a number. `missing` counts the rows without a
    value by what stands there, `folded` has the other spellings of values, by the first one.
    """

    values: Mapping[int, str | int]
    odd_row: int | None
    missing: Mapping[str, int]
    folded: Mapping[str, tuple[str, ...]]


def read_values(texts: Mapping[int, str]) -> ReadValues:
    """Read the texts by row.

    Spellings of one value differ in case, blanks, width, decimals, the script of digits or
    characters that nobody sees.
    """
    missing: Counter[str] = Counter()
    keys: dict[int, str] = {}
    spellings: dict[str, dict[str, None]] = defaultdict(dict)
    for row, text in texts.items():
        key = _key(text)
        if key in MISSING:
            missing[text] += 1
            continue
        keys[row] = key
        spellings[key][text] = None
    odd_row = next((row for row, key in keys.items() if not _NUMBER.fullmatch(key)), None)
    first = {key: next(iter(said)) for key, said in spellings.items()}
    return ReadValues(
        values=_numbers(keys)
        if odd_row is None
        else {row: first[key] for row, key in keys.items()},
        odd_row=odd_row,
        missing=dict(missing),
        folded={first[key]: tuple(said)[1:] for key, said in spellings.items() if len(said) > 1},
    )


def _key(text: str) -> str:
    """What all spellings of a value share."""
    seen = "".join(map(_plain_character, unicodedata.normalize("NFKC", text)))
    plain = " ".join(seen.casefold().split())
    if plain[:1].translate(_MINUS) == "-" and plain not in MISSING:
        plain = f"-{plain[1:]}"
    if comma := _DECIMAL_COMMA.fullmatch(plain):
        plain = f"{comma[1]}.{comma[2]}"
    return _plain_number(plain) if _NUMBER.fullmatch(plain) else plain


def _plain_character(character: str) -> str:
    """A digit of any script as one of 0 to 9, nothing for what has no width, else the character."""
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    return "" if category == "Cf" else character


def _plain_number(text: str) -> str:
    number = Decimal(text)
    return f"{number.normalize():f}" if number else "0"


def _numbers(keys: Mapping[int, str]) -> dict[int, str | int]:
    places = max((len(key.partition(".")[2]) for key in keys.values()), default=0)
    return {row: int(Decimal(key).scaleb(places)) for row, key in keys.items()}
