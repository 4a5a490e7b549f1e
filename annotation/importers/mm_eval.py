"""Reads MM-Eval: JSON lists of syntax, semantics, knowledge and reasoning in Mongolian.

A row has `choices` of label and text and an `answerKey`, and in the first three files a question;
items of syntax ask only which sentence is right. A row of reasoning has a question and a number.
Uid `<subject>/<row>` counted from 0; the subject is the file's name without `_eval`.

Reasoning translates MGSM row by row. With MGSM's English or Chinese file beside it (`mgsm_en.tsv`,
`mgsm_zh.tsv`), the English question is the item's, or the Chinese where there is no English, the
Mongolian one is its translation, and the other is kept as metadata `question_zh`. A row whose
number is not the one of MGSM is refused: the two do not belong together.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from annotation.importers.base import (
    Column,
    ImportRequest,
    Layout,
    Row,
    SourceRow,
    TranslationRow,
)
from annotation.importers.cells import (
    RowFault,
    check_options,
    metadata_of,
    required_text,
    text_of,
)
from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.labels import gettext_noop
from annotation.importers.published import PublishedFile, read_published
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import LINE_SUFFIXES, first_row
from annotation.importers.text_files import read_lines
from languages.letters import letter_of
from languages.numerals import LONGEST_NUMBER, read_number

name: Final = "mm_eval"
suffixes: Final = LINE_SUFFIXES | {".json", ".tsv"}
layout: Final = Layout(
    summary=gettext_noop("The published files of MM-Eval in Mongolian."),
    files=gettext_noop(
        "a JSON list per subject; beside reasoning_eval.json perhaps mgsm_en.tsv and mgsm_zh.tsv"
    ),
    columns=(
        Column("choices", gettext_noop("a list of options, each with label and text")),
        Column("answerKey", gettext_noop("the label of the correct option")),
        Column("question", gettext_noop("the question; items of syntax have none")),
        Column("answer", gettext_noop("in place of options: the number that answers the item")),
    ),
)
_NAMES: Final = ("question", "choices", "answerKey", "answer")
_MGSM: Final = re.compile(r"mgsm.*_(?P<language>en|zh)", re.IGNORECASE)
_CHOICE: Final = frozenset({"label", "text"})


@dataclass(frozen=True, slots=True)
class _Problem:
    """One row of MGSM in one language."""

    question: str
    answer: str


Originals = Mapping[str, Sequence[_Problem]]


def recognise(file: InputFile, inputs: InputFiles) -> float:
    """Look for labelled choices with an answerKey, or for questions with a number alone."""
    first = first_row(file, inputs, _NAMES)
    if "answerKey" in first and _has_labels(first.get("choices")):
        return 0.9
    is_number = read_number(str(first.get("answer", ""))) is not None
    return 0.6 if first.keys() == {"question", "answer"} and is_number else 0.0


def _has_labels(choices: object) -> bool:
    return isinstance(choices, list) and all(
        isinstance(choice, Mapping) and choice.keys() >= _CHOICE for choice in choices
    )


def read(request: ImportRequest) -> Iterator[Row]:
    """Yield one item a row, those of reasoning with their originals where they are there."""
    files = request.inputs.files
    published = [file for file in files if not _MGSM.match(file.stem)]
    originals = {
        match["language"].lower(): _read_mgsm(file, request.inputs)
        for file in files
        if (match := _MGSM.match(file.stem))
    }
    if not published:
        raise ImportRefused("nothing_to_read", {"file": request.inputs.root})
    inputs = replace(request.inputs, files=tuple(published))
    places: dict[tuple[str, str], int] = {}

    def item(row: TableRow, about: PublishedFile) -> SourceRow:
        subject = about.subject.removesuffix("_eval") or name
        place = places[row.ref.file, subject] = places.get((row.ref.file, subject), -1) + 1
        uid = about.uid(subject, place)
        if "choices" in row.cells:
            return _choice(row, uid, subject, about)
        return _number(row, uid, subject, about, _at(originals, place))

    wanted = replace(request, inputs=inputs)
    return read_published(wanted, suffixes, _NAMES, (), item)


def _choice(row: TableRow, uid: str, subject: str, about: PublishedFile) -> SourceRow:
    cells = row.cells
    choices = cells["choices"]
    if not isinstance(choices, list) or not _has_labels(choices):
        raise RowFault("not_a_list", {"column": "choices"})
    options = check_options([text_of(choice, "text") for choice in choices])
    labels = [text_of(choice, "label").strip() for choice in choices]
    return SourceRow(
        ref=row.ref,
        uid=uid,
        subject=subject,
        question=required_text(cells, "question") if "question" in cells else "",
        options=options,
        key=_key(text_of(cells, "answerKey").strip(), labels),
        split=about.split,
        metadata=metadata_of(cells, {*_NAMES}),
    )


def _key(said: str, labels: Sequence[str]) -> str:
    expected = [letter_of(position) for position in range(len(labels))]
    if [*labels] != expected:
        raise RowFault("labels_differ", {"found": ", ".join(labels)[:80]})
    if not said:
        raise RowFault("no_answer", {"column": "answerKey"})
    if said not in labels:
        raise RowFault("key_out_of_range", {"key": said[:40], "last": labels[-1]})
    return said


def _number(
    row: TableRow, uid: str, subject: str, about: PublishedFile, originals: Mapping[str, _Problem]
) -> SourceRow:
    question, number = required_text(row.cells, "question"), _answer(row.cells)
    item = SourceRow(
        ref=row.ref,
        uid=uid,
        subject=subject,
        question=question,
        options=(),
        key=number,
        kind="number",
        split=about.split,
        metadata=metadata_of(row.cells, {*_NAMES}),
    )
    return _with_originals(item, originals) if originals else item


def _answer(cells: Mapping[str, object]) -> str:
    number = text_of(cells, "answer").strip()
    if not number:
        raise RowFault("no_answer", {"column": "answer"})
    if len(number) > LONGEST_NUMBER:
        raise RowFault("cell_too_long", {"column": "answer", "limit": LONGEST_NUMBER})
    return number


def _with_originals(item: SourceRow, originals: Mapping[str, _Problem]) -> SourceRow:
    """Return the item as asked in English, or in Chinese, with the Mongolian as its translation."""
    for language, problem in originals.items():
        if read_number(problem.answer) != read_number(item.key):
            data = {"language": language, "found": problem.answer[:40], "key": item.key}
            raise RowFault("original_differs", data)
    first, *others = sorted(originals)
    translation = TranslationRow(
        ref=item.ref,
        uid=item.uid,
        question=item.question,
        options=(),
        key=None,
        system=name,
        is_default_system=True,
    )
    kept = {f"question_{language}": originals[language].question for language in others}
    return replace(
        item,
        question=originals[first].question,
        translation=translation,
        metadata={**item.metadata, **kept},
    )


def _at(originals: Originals, place: int) -> dict[str, _Problem]:
    """Return the row of MGSM in each language; raises RowFault where one file is too short."""
    short = next((language for language, rows in originals.items() if place >= len(rows)), None)
    if short is not None:
        raise RowFault("original_missing", {"language": short, "row": place + 1})
    return {language: rows[place] for language, rows in originals.items()}


def _read_mgsm(file: InputFile, inputs: InputFiles) -> list[_Problem]:
    """Return the rows of a file of MGSM: question, tab, number; raises ImportRefused."""
    found: list[_Problem] = []
    for line in read_lines(file, inputs):
        text = (line.text or "").rstrip("\r\n")
        question, tab, answer = text.rpartition("\t")
        if not text:
            continue
        if not tab or not question.strip():
            raise ImportRefused("bad_mgsm", {"file": file.name, "row": line.number})
        found.append(_Problem(question, answer.strip()))
    return found
