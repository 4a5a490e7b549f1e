"""Reads SafetyBench: a JSON list of items with 2 to 4 options and a second file with the keys.

Uid `<category>/<id>` in lower case with `_` for spaces; the key file is named with `keys` or
lies in the same folder. It maps an id to an answer that counts options from 0.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from annotation.importers.base import (
    Column,
    ImportRequest,
    Layout,
    Row,
    RowError,
    RowRef,
    SourceRow,
)
from annotation.importers.cells import (
    RowFault,
    check_options,
    options_of,
    required_text,
    text_of,
)
from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.json_files import load_json
from annotation.importers.labels import gettext_noop
from annotation.importers.reading import at_least_one
from annotation.importers.tables import first_row
from languages.letters import letter_of

name: Final = "safetybench"
suffixes: Final = frozenset({".json"})
layout: Final = Layout(
    summary=gettext_noop("The published files of SafetyBench."),
    files=gettext_noop("a JSON list of items, and a JSON file with the keys beside it or named"),
    columns=(
        Column("id", gettext_noop("a number that the key file also uses")),
        Column("category", gettext_noop("the category, which is also the subject")),
        Column("question", gettext_noop("the question")),
        Column("options", gettext_noop("a list of 2 to 4 options")),
        Column("answer", gettext_noop("in the key file: the correct option, counted from 0")),
    ),
)


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for a JSON list whose first item has question, options and category."""
    return (
        0.9 if first_row(file, inputs).keys() >= {"id", "question", "options", "category"} else 0.0
    )


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield the items of every JSON list; ImportRefused where keys are nowhere to be found."""
    lists: list[tuple[InputFile, list[object]]] = []
    answers: dict[str, object] = {}
    places = (request.inputs, request.keys) if request.keys else (request.inputs,)
    for inputs in places:
        for file in inputs.files:
            if file.suffix != ".json":
                continue
            value = load_json(file, inputs)
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
