"""What published data sets share: a split in the name of a file, rows without ids, counted keys."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from annotation.importers.base import ImportRequest, Row, RowError, SourceRow, Split
from annotation.importers.cells import RowFault, check_key, text_of
from annotation.importers.input_files import InputFile
from annotation.importers.reading import each_file, folder_names
from annotation.importers.table_rows import TableRow
from annotation.importers.tables import read_table, require_columns, with_names
from languages.letters import letter_of

_FOLDERS: Final = {
    "test": "",
    "dev": "dev",
    "val": "val",
    "validation": "val",
    "train": "train",
    "auxiliary_train": "train",
}
_SHARD: Final = re.compile(r"-[0-9]{5}-of-[0-9]{5}\Z")
_ENDING: Final = re.compile(r"(?:\A|[_.-])(" + "|".join(_FOLDERS) + r")\Z")


@dataclass(slots=True)
class PublishedFile:
    """What the name of a file says, and the rows that were counted in it and its other shards.

    `folder` stands in a uid between subject and number: '' in the test split, else dev, val or
    train. `subject` is '' where the name says only the split.
    """

    subject: str
    folder: str
    split: Split
    counts: Counter[str] = field(default_factory=Counter)

    def uid(self, subject: str, number: int | str) -> str:
        """Return a uid; items of different splits never share one."""
        return "/".join(filter(None, (subject, self.folder, str(number))))

    def next_uid(self, subject: str) -> str:
        """Return the uid of the next row of a subject, counted from 0."""
        self.counts[subject] += 1
        return self.uid(subject, self.counts[subject] - 1)


Parse = Callable[[TableRow, PublishedFile], SourceRow]


def read_published(
    request: ImportRequest,
    suffixes: AbstractSet[str],
    columns: Sequence[str],
    required: Sequence[str],
    parse: Parse,
    *,
    val_split: Split = "dev",
) -> Iterator[Row]:
    """Yield what `parse` makes of each row of every file; a RowFault becomes the row's error.

    `columns` are the names that `parse` uses, found in any case; `required` must all be there.
    """
    counted: dict[str, Counter[str]] = {}

    def read_file(file: InputFile) -> Iterator[Row]:
        about = published_file(file, request, val_split)
        group = _SHARD.sub("", str(PurePosixPath(file.name).with_suffix("")))
        about.counts = counted.setdefault(group, about.counts)
        rows = with_names(read_table(file, request.inputs), columns)
        for row in require_columns(rows, tuple(required), file):
            if isinstance(row, RowError):
                yield row
                continue
            try:
                yield parse(row, about)
            except RowFault as fault:
                yield fault.at(row.ref)

    return each_file(request, suffixes, read_file)


def published_file(
    file: InputFile, request: ImportRequest, val_split: Split = "dev"
) -> PublishedFile:
    """Return what the name of a file and its folder say; the request may name the split."""
    stem = _SHARD.sub("", file.stem)
    folders = folder_names(file, request.inputs)
    match = _ENDING.search(stem)
    if match:
        subject, part = stem[: match.start()], match[1]
    else:
        subject, part = stem, folders[-1].lower()
    if match and not subject and "/" in file.name:
        subject = folders[-1]
    folder = _FOLDERS.get(part, "")
    split = val_split if folder == "val" else "dev" if folder else "test"
    if request.split and request.split != split:
        folder, split = ("dev", "dev") if request.split == "dev" else ("", "test")
    return PublishedFile(subject, folder, split)


def subject_of(cells: Mapping[str, object], column: str, about: PublishedFile) -> str:
    """Return the subject of a row, or of its file where the row names none; raises RowFault."""
    subject = text_of(cells, column).strip() or about.subject
    if not subject:
        raise RowFault("no_subject", {"column": column})
    return subject


def letter_at(cells: Mapping[str, object], column: str, count: int) -> str:
    """Return the key of an answer that counts the options from 0, or names one by its letter."""
    said = text_of(cells, column).strip().removesuffix(".0")  # as pandas writes whole numbers
    if not said:
        raise RowFault("no_answer", {"column": column})
    if not (said.isascii() and said.isdecimal()):
        return check_key(said, count)
    if int(said[:4]) >= count:
        raise RowFault("key_out_of_range", {"key": said[:40], "last": str(count - 1)})
    return letter_of(int(said))


def key_of(cells: Mapping[str, object], column: str, count: int) -> str:
    """Return the key of an answer that is a letter; raises RowFault where there is none."""
    said = text_of(cells, column).strip()
    if not said:
        raise RowFault("no_answer", {"column": column})
    return check_key(said, count)


def texts_of(cells: Mapping[str, object], columns: Sequence[str]) -> list[str]:
    """Return the texts of columns of options; those after the last that holds one are left out."""
    texts = [text_of(cells, column) for column in columns]
    while texts and not texts[-1]:
        texts.pop()
    return texts


def plain_subject(name: str) -> str:
    """Return a name as part of a uid: lower case, with underscores for everything else."""
    return re.sub(r"\W+", "_", name.lower()).strip("_")
