"""Finds columns that look like the options of an item, so that no kind of item is guessed past them."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from annotation.importers.cells import RowFault
from common.names import fold_name
from languages import LANGUAGES
from languages.letters import LETTERS, plain_letter, position_of

_LIST_NAMES: Final = frozenset(
    [
        "alternatives",
        "answers",
        "candidates",
        "choice",
        "choices",
        "distractors",
        "option",
        "options",
        "opts",
    ]
)
_OWN_LETTERS: Final = {
    own.casefold(): letter
    for language in LANGUAGES.values()
    for own, letter in zip(language.option_letters, LETTERS.lower(), strict=False)
}
_MARK: Final = re.compile(rf"(?:[a-k{''.join(_OWN_LETTERS)}]|[0-9]{{1,2}})\Z")
_BEFORE_MARK: Final = " .:-"
_PAIRS: Final = ({"a", "b"}, {"0", "1"}, {"1", "2"}, {"01", "02"})


def refuse_lookalikes(cells: Mapping[str, object], known: Collection[str]) -> None:
    """Raise RowFault for a row of no named kind with columns that look like options."""
    column = option_column(cells, known)
    if column is not None:
        raise RowFault("looks_like_options", {"column": column})


def option_column(cells: Mapping[str, object], known: Collection[str]) -> str | None:
    """Return the first column that looks like options."""
    free = {column: value for column, value in cells.items() if column not in known}
    answer = cells.get("answer", cells.get("key"))
    return next(iter(option_columns(free, answer)), None)


def option_columns(cells: Mapping[str, object], answer: object = None) -> list[str]:
    """Return the columns that look like options: a list of them, or one of a row of columns.

    Columns of a row have one name that ends in A and B, 甲 and 乙, 0 and 1, or 1 and 2; only texts
    count.
    """
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for column, value in cells.items():
        if value in (None, "", [], {}):
            continue
        name = fold_name(column)
        if name in _LIST_NAMES or (answer is not None and _is_answered_by(value, answer)):
            return [column]
        match = _MARK.search(name)
        if match and isinstance(value, str):
            mark = _OWN_LETTERS.get(match[0], match[0])
            groups[name[: match.start()].rstrip(_BEFORE_MARK)][mark] = column
    rows = [group for group in groups.values() if any(pair <= {*group} for pair in _PAIRS)]
    return list(max(rows, key=len).values()) if rows else []


def _is_answered_by(value: object, answer: object) -> bool:
    """Return whether a value is a list of texts that the answer names or contains."""
    texts = _texts_in(value)
    if len(texts) < 2:
        return False
    said = str(answer).strip()
    is_place = said.isascii() and said.isdecimal() and int(said[:4]) <= len(texts)
    return is_place or said in texts or position_of(plain_letter(said), len(texts)) is not None


def _texts_in(value: object) -> list[str]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return []
    return value
