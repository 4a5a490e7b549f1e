"""Reads JSON files, which have no lines and are therefore read whole."""

import json
from collections.abc import Iterator
from typing import Final

from annotation.importers.base import Data, RowError, RowRef
from annotation.importers.errors import ImportRefused, too_much_memory
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.table_rows import TableRow, first_repeated
from annotation.importers.text_files import read_whole

_LISTS_OF_A_ROW: Final = 8


class RepeatedNameError(ValueError):
    """An object names one field twice; the text of the error is that name."""


def _unique_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RepeatedNameError(first_repeated(tuple(name for name, _ in pairs)))
    return found


# One decoder for all: `json.loads` would build one for each line of a file.
decode_json: Final = json.JSONDecoder(object_pairs_hook=_unique_names).decode


def load_json(file: InputFile, inputs: InputFiles) -> object:
    """Return the value of a JSON file; raises ImportRefused with the place of the fault.

    Lists and objects are counted first: the shortest takes thirty times its bytes in memory.
    No object names a field twice, since one of the two would be lost.
    """
    try:
        text = read_whole(file, inputs)
        if text.count("[") + text.count("{") > inputs.limits.rows * _LISTS_OF_A_ROW:
            raise too_much_memory(file.name)
        return decode_json(text)
    except RepeatedNameError as error:
        raise ImportRefused("repeated_column", {"file": file.name, "column": str(error)}) from error
    except json.JSONDecodeError as error:
        where: Data = {"file": file.name, "row": error.lineno, "column": error.colno}
        raise ImportRefused("not_json", where) from error
    except (RecursionError, ValueError) as error:
        raise ImportRefused("not_json", {"file": file.name, "row": 0, "column": 0}) from error
    except MemoryError as error:
        raise too_much_memory(file.name) from error


def read_json(file: InputFile, inputs: InputFiles) -> Iterator[TableRow | RowError]:
    """Yield the objects of a JSON list as rows; raises ImportRefused for any other value."""
    values = load_json(file, inputs)
    if not isinstance(values, list):
        raise ImportRefused("not_a_list_file", {"file": file.name})
    limit = inputs.limits.row_bytes
    for position, value in enumerate(values, start=1):
        ref = RowRef(file.name, position)
        if not isinstance(value, dict):
            yield RowError(ref, "not_an_object")
        elif _is_over(value, limit):
            yield RowError(ref, "row_too_long", {"limit": limit})
        else:
            yield TableRow(ref, value)


def _is_over(value: dict[str, object], limit: int) -> bool:
    """Return whether the texts of an object are longer than a row may be."""
    texts = (len(cell) for cell in value.values() if isinstance(cell, str))
    lists = (
        len(text)
        for cell in value.values()
        if isinstance(cell, list)
        for text in cell
        if isinstance(text, str)
    )
    return sum(texts) + sum(lists) > limit
