"""Reads SafetyBench: a JSON list of items with 2 to 4 options and a second file with the keys.

Uid `<category>/<id>` in lower case with `_` for spaces; the key file is named with `keys` or
lies in the same folder. It maps an id to an answer that counts options from 0.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from annotation.imports.importers.base import (
    Column,
    Data,
    ImportRequest,
    Layout,
    Row,
    RowError,
    RowRef,
    SourceRow,
)
from annotation.imports.importers.cells import (
    RowFault,
    check_options,
    options_of,
    required_text,
    text_of,
)
from annotation.imports.importers.errors import (
    TOO_MUCH_MEMORY,
    ImportRefused,
    too_much_memory,
)
from annotation.imports.importers.input_files import InputFile, InputFiles
from annotation.imports.importers.labels import gettext_noop
from annotation.imports.importers.reading import at_least_one
from annotation.imports.importers.text_files import read_whole
from languages.letters import letter_of

name: Final = "safetybench"
suffixes: Final = frozenset({".json"})
_LISTS_OF_A_ROW: Final = 3
layout: Final = Layout(
    summary=gettext_noop("The published files of SafetyBench."),
    files=gettext_noop("a JSON list of items, and a JSON file with the keys beside it or named"),
    columns=(
        Column("id", gettext_noop("a number that the key file knows too")),
        Column("category", gettext_noop("the category, which is also the subject")),
        Column("question", gettext_noop("the question")),
        Column("options", gettext_noop("a list of 2 to 4 options")),
        Column("answer", gettext_noop("in the key file: the correct option, counted from 0")),
    ),
)


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for a JSON list whose first item has question, options and category."""
    try:
        value = load(file, inputs)
    except ImportRefused as refusal:
        if refusal.code == TOO_MUCH_MEMORY:
            raise
        return 0.0
    first = value[0] if isinstance(value, list) and value else None
    wanted = {"id", "question", "options", "category"}
    return 0.9 if isinstance(first, dict) and wanted <= first.keys() else 0.0


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every JSON list; ImportRefused where keys are nowhere to be found."""
    lists: list[tuple[InputFile, list[object]]] = []
    answers: dict[str, object] = {}
    places = (request.inputs, request.keys) if request.keys else (request.inputs,)
    for inputs in places:
        for file in inputs.files:
            if file.suffix != ".json":
                continue
            value = load(file, inputs)
            if isinstance(value, list):
                lists.append((file, value))
            elif isinstance(value, dict):
                answers.update(value)
    if not lists:
        raise ImportRefused("not_a_list_file", {"file": request.inputs.root})
    if not answers:
        raise ImportRefused("keys_missing", {"file": request.inputs.root})
    for file, values in lists:
        yield from at_least_one(_read_list(file, values, answers, request), file.name)


def load(file: InputFile, inputs: InputFiles) -> object:
    """Return the value of a JSON file; raises ImportRefused with the place of the fault.

    Lists and objects are counted first: the shortest takes thirty times its bytes in memory.
    """
    try:
        text = read_whole(file, inputs)
        if text.count("[") + text.count("{") > inputs.limits.rows * _LISTS_OF_A_ROW:
            raise too_much_memory(file.name)
        return json.loads(text)
    except json.JSONDecodeError as error:
        where: Data = {"file": file.name, "row": error.lineno, "column": error.colno}
        raise ImportRefused("not_json", where) from error
    except (RecursionError, ValueError) as error:
        raise ImportRefused("not_json", {"file": file.name, "row": 0, "column": 0}) from error
    except MemoryError as error:
        raise too_much_memory(file.name) from error


def _read_list(
    file: InputFile, values: list[object], answers: Mapping[str, object], request: ImportRequest
) -> Iterator[Row]:
    for position, value in enumerate(values, start=1):
        ref = RowRef(file.name, position)
        if not isinstance(value, dict):
            yield RowError(ref, "not_an_object")
            continue
        try:
            row = _item(value, answers, ref, request)
        except RowFault as fault:
            yield fault.at(ref)
        else:
            yield _within_limit(row, request.inputs.limits.row_bytes)


def _within_limit(row: SourceRow, limit: int) -> SourceRow | RowError:
    size = len(row.question) + sum(len(option) for option in row.options)
    return RowError(row.ref, "row_too_long", {"limit": limit}) if size > limit else row


def _item(
    cells: Mapping[str, object], answers: Mapping[str, object], ref: RowRef, request: ImportRequest
) -> SourceRow:
    number = required_text(cells, "id")
    category = required_text(cells, "category")
    subject = re.sub(r"\W+", "_", category.lower()).strip("_")
    options = check_options(options_of(cells))
    return SourceRow(
        ref=ref,
        uid=f"{subject}/{number}",
        subject=subject,
        question=required_text(cells, "question"),
        options=options,
        key=_key(answers.get(number), number, category, len(options)),
        split=request.split or "test",
        category=category,
    )


def _key(answer: object, number: str, category: str, count: int) -> str:
    if not isinstance(answer, Mapping):
        raise RowFault("no_key", {"uid": number})
    if text_of(answer, "category") not in {"", category}:
        raise RowFault("other_category", {"uid": number})
    position = answer.get("answer")
    if not isinstance(position, int) or isinstance(position, bool) or not 0 <= position < count:
        raise RowFault("key_out_of_range", {"key": str(position)[:40], "last": str(count - 1)})
    return letter_of(position)
