"""Walks the files of an import, so that one bad file is named and the others are still read."""

from collections.abc import Callable, Iterator

from annotation.importers.base import Data, ImportRequest, Row, RowError, RowRef
from annotation.importers.errors import ImportRefused
from annotation.importers.trees import InputFile, Tree


def each_file(
    request: ImportRequest, suffix: str, read: Callable[[InputFile], Iterator[Row]]
) -> Iterator[Row]:
    """Yield the rows of every file with the suffix ('' for any table).

    A file that can't be read becomes a RowError on row 0 where there are others, and is raised
    as ImportRefused where it is the only one.
    """
    files = [file for file in request.tree.files if file.suffix == suffix or not suffix]
    if not files:
        raise ImportRefused("nothing_to_read", {"file": request.tree.root})
    for file in files:
        try:
            yield from at_least_one(read(file), file.name)
        except ImportRefused as refusal:
            if len(files) == 1:
                raise
            row = refusal.data.get("row", 0)
            yield RowError(RowRef(file.name, int(row)), refusal.code, refusal.data)


def at_least_one(rows: Iterator[Row], name: str) -> Iterator[Row]:
    """Yield the rows; raises ImportRefused where there is none, which is no import to be had."""
    first = next(rows, None)
    if first is None:
        raise ImportRefused("nothing_to_read", {"file": name})
    yield first
    yield from rows


def unique_uids(rows: Iterator[Row]) -> Iterator[Row]:
    """Replace a row whose uid (and system) was there before by a `duplicate_uid` error."""
    seen: dict[tuple[str, str], RowRef] = {}
    for row in rows:
        if isinstance(row, RowError):
            yield row
            continue
        first = seen.setdefault((row.uid, getattr(row, "system", "")), row.ref)
        if first is row.ref:
            yield row
        else:
            before: Data = {"uid": row.uid, "first_file": first.file, "first_row": first.row}
            yield RowError(row.ref, "duplicate_uid", before)


def folder_names(file: InputFile, tree: Tree) -> tuple[str, ...]:
    """Return the names of the folders a file lies in from the imported one inwards.

    Of a single file it is the folder around it; what lies further out is no business of ours.
    """
    if tree.root == file.name:
        return (tree.parent,)
    return (tree.root, *file.name.split("/")[:-1])
