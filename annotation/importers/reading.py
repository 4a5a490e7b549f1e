"""Walks the files of an import, so that one bad file is named and the others are still read."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from annotation.importers.base import Data, ImportRequest, Row, RowError, RowRef, TranslationRow
from annotation.importers.errors import ImportRefused
from annotation.importers.input_files import InputFile, InputFiles
from annotation.importers.text_files import too_many_rows
from common.names import fold_name

BATCH_ROWS: Final = 500
_BATCH_CHARACTERS: Final = 2_000_000
_ROWS_OF_A_FILE: Final = 10**10


def each_file(
    request: ImportRequest, suffixes: AbstractSet[str], read: Callable[[InputFile], Iterator[Row]]
) -> Iterator[Row]:
    """Yield the rows of every file of these kinds.

    A file that can't be read becomes a RowError on row 0 where there are others, and is raised
    as ImportRefused where it is the only one.
    """
    files = [file for file in request.inputs.files if file.suffix in suffixes]
    if not files:
        raise ImportRefused("nothing_to_read", {"file": request.inputs.root})
    for file in files:
        try:
            yield from at_least_one(read(file), file.name)
        except ImportRefused as refusal:
            if len(files) == 1:
                raise
            row = refusal.data.get("row", 0)
            yield RowError(RowRef(file.name, int(row)), refusal.code, refusal.data)


def at_least_one(rows: Iterator[Row], name: str) -> Iterator[Row]:
    """Yield the rows; raises ImportRefused for a file without any."""
    first = next(rows, None)
    if first is None:
        raise ImportRefused("nothing_to_read", {"file": name})
    yield first
    yield from rows


def batches_of(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Divide rows into lists that take little memory, whether they are many or long."""
    batch: list[Row] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += _characters(row)
        if len(batch) == BATCH_ROWS or characters > _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _characters(row: Row) -> int:
    if isinstance(row, RowError):
        return 0
    size = len(row.question) + sum(map(len, row.options)) + len(row.answer) + len(row.explanation)
    if isinstance(row, TranslationRow):
        return size + len(row.raw)
    size += sum(map(len, row.metadata.values()))
    return size + _characters(row.translation) if row.translation else size


def unique_uids(rows: Iterator[Row], most: int) -> Iterator[Row]:
    """Replace a row whose uid (and system) was there before by a `duplicate_uid` error.

    Names that look alike are one.

    What is kept of each row is a string and a number, 200 bytes: all that an import keeps of them.
    Raises ImportRefused after `most` rows.
    """
    seen: dict[str, int] = {}
    files: dict[str, int] = {}
    for read, row in enumerate(rows):
        if read == most:
            raise too_many_rows(row.ref.file, most)
        if isinstance(row, RowError):
            yield row
            continue
        count = len(seen)
        place = files.setdefault(row.ref.file, len(files)) * _ROWS_OF_A_FILE + row.ref.row
        name = f"{fold_name(row.uid)}\0{fold_name(getattr(row, 'system', ''))}"
        first = seen.setdefault(name, place)
        if len(seen) > count:
            yield row
        else:
            file, number = divmod(first, _ROWS_OF_A_FILE)
            before: Data = {"uid": row.uid, "first_file": [*files][file], "first_row": number}
            yield RowError(row.ref, "duplicate_uid", before)


def folder_names(file: InputFile, inputs: InputFiles) -> tuple[str, ...]:
    """Return the names of the folders a file lies in from the imported one inwards.

    For a single file that is the folder around it; folders further out say nothing.
    """
    if inputs.root == file.name:
        return (inputs.parent,)
    return (inputs.root, *file.name.split("/")[:-1])
