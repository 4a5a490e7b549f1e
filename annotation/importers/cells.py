"""Turns cells into rows and says what is wrong with those that can't be."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from annotation.importers.base import Data, RowError, RowRef
from languages.letters import (
    BEYOND_LETTERS,
    LETTERS,
    MAX_OPTIONS,
    MIN_OPTIONS,
    letter_of,
    plain_letter,
    position_of,
)

UID_LENGTH: Final = 200


class RowFault(Exception):  # caught where the row is known, becomes a RowError
    """One row can't be imported: a stable code and the data of its message."""

    def __init__(self, code: str, data: Data | None = None) -> None:
        self.code = code
        self.data = dict(data or {})
        super().__init__(code)

    def at(self, ref: RowRef) -> RowError:
        """Return the error of that row."""
        return RowError(ref, self.code, self.data)


def text_of(cells: Mapping[str, object], name: str) -> str:
    """Return a cell as text exactly as it stands, '' where it is absent; numbers as written."""
    value = cells.get(name)
    if value is None:
        return ""
    if isinstance(value, str):
        check_text(value, name)
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value == value and abs(value) != float("inf"):  # noqa: PLR0124
        return repr(value)
    raise RowFault("not_text", {"column": name})


def check_text(value: str, name: str) -> None:
    """Raise RowFault for what no database can hold: NUL and lone surrogates."""
    if "\0" in value:
        raise RowFault("nul_character", {"column": name})
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise RowFault("broken_character", {"column": name}) from error


def required_text(cells: Mapping[str, object], name: str) -> str:
    """Return a cell that must hold more than white space."""
    value = text_of(cells, name)
    if not value.strip():
        raise RowFault("empty_text", {"column": name})
    return value


def check_options(options: Sequence[str]) -> tuple[str, ...]:
    """Return 2 to 10 options that all hold something; raises RowFault."""
    if not MIN_OPTIONS <= len(options) <= MAX_OPTIONS:
        raise RowFault("option_count", {"found": len(options), "limit": MAX_OPTIONS})
    for letter, option in zip(LETTERS, options, strict=False):
        if not option.strip():
            raise RowFault("empty_option", {"letter": letter})
    return tuple(options)


def check_key(value: str, count: int) -> str:
    """Return the key as a plain capital letter; raises RowFault where no option bears it."""
    key = plain_letter(value)
    if position_of(key, count) is None:
        raise RowFault("key_out_of_range", {"key": value[:40], "last": letter_of(count - 1)})
    return key


def options_of(cells: Mapping[str, object], prefix: str = "") -> tuple[str, ...]:
    """Return the options of a list column `options` or of `option_a` to `option_j`.

    More than there are letters for are refused, since nobody could name them. Empty columns after
    the last option are options that an item doesn't have; an empty one before it stays, as ''. A
    text cell `options` holds a JSON list.
    """
    listed = cells.get(f"{prefix}options")
    if listed is not None and listed != "":
        options = tuple(_listed(listed, f"{prefix}options"))
        if len(options) > MAX_OPTIONS:
            raise RowFault("option_count", {"found": len(options), "limit": MAX_OPTIONS})
        return options
    extra = f"{prefix}option_{BEYOND_LETTERS.lower()}"
    if cells.get(extra) not in (None, ""):
        raise RowFault("option_count", {"found": MAX_OPTIONS + 1, "limit": MAX_OPTIONS})
    names = [f"{prefix}option_{letter.lower()}" for letter in LETTERS]
    texts = [text_of(cells, name) for name in names]
    while texts and not texts[-1]:
        texts.pop()
    return tuple(texts)


def uid_in(cells: Mapping[str, object]) -> str:
    """Return a uid: one line without outer white space, at most 200 characters."""
    uid = required_text(cells, "uid")
    if uid != uid.strip() or not uid.isprintable() or len(uid) > UID_LENGTH:
        raise RowFault("bad_uid", {"uid": repr(uid[:60]), "limit": UID_LENGTH})
    return uid


def is_list(value: object) -> bool:
    """Return whether a cell is a list, or the text of one in JSON."""
    return isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith("["))


def list_of(value: object, name: str) -> tuple[str, ...]:
    """Return the texts of a list, or of a text that is one in JSON; raises RowFault."""
    return tuple(_listed(value, name))


def _listed(value: object, name: str) -> Iterator[str]:
    items = _decoded(value, name) if isinstance(value, str) else value
    if not isinstance(items, list):
        raise RowFault("not_a_list", {"column": name})
    for position, item in enumerate(items, start=1):
        if item is None:
            raise RowFault("not_text", {"column": f"{name}[{position}]"})
        if isinstance(item, str):
            check_text(item, name)
            yield item
        else:
            yield text_of({name: item}, name)


def _decoded(value: str, name: str) -> object:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise RowFault("not_a_list", {"column": name}) from error


def metadata_of(cells: Mapping[str, object], known: Collection[str]) -> dict[str, str]:
    """Return the cells that are no part of the item, as text; lists and objects as JSON."""
    extra = {
        column: text_of(cells, column) if _is_plain(value) else _as_json(value, column)
        for column, value in cells.items()
        if column and column not in known and value not in (None, "")
    }
    for column in extra:
        check_text(column, "metadata")
    return extra


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _as_json(value: object, column: str) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    check_text(text, column)
    return text
