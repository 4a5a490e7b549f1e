"""Write the data files: one pass over the rows gives them in every chosen format."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from itertools import groupby, islice
from operator import attrgetter

from releases.files.exporters.base import DataFormat, ReleaseContent, Row, RowWriter, file_stem
from releases.files.exporters.output import OutputFile, OutputFolder
from releases.files.manifest import ReleaseFacts

ROWS_AT_ONCE = 500


def export(rows: Iterable[Row], content: ReleaseContent, folder: OutputFolder) -> None:
    """Write the open items, one file a format for each split of each subject.

    A format that takes no row of a subject has no file for it.
    """
    for (subject, split), group in groupby(rows, attrgetter("subject", "split")):
        with ExitStack() as stack:
            outlets = [
                _Outlet(each, each.path(split, file_stem(subject)), content.facts, folder, stack)
                for each in content.formats
            ]
            while part := list(islice(group, ROWS_AT_ONCE)):
                for outlet in outlets:
                    outlet.write(part)


class _Outlet:
    """The file of one format, which is made when its first row comes."""

    def __init__(
        self,
        data_format: DataFormat,
        name: str,
        facts: ReleaseFacts,
        folder: OutputFolder,
        stack: ExitStack,
    ) -> None:
        self._format = data_format
        self._name = name
        self._facts = facts
        self._folder = folder
        self._stack = stack
        self._open: tuple[OutputFile, RowWriter] | None = None

    def write(self, rows: Sequence[Row]) -> None:
        taken = [row for row in rows if self._format.takes(row)]
        if not taken:
            return
        file, writer = self._open = self._open or self._create()
        writer.write(taken)
        file.row_count = (file.row_count or 0) + len(taken)

    def _create(self) -> tuple[OutputFile, RowWriter]:
        media_type = self._format.media_type
        file = self._stack.enter_context(self._folder.create(self._name, media_type=media_type))
        writer = self._format.writer(file, self._facts)
        return file, self._stack.enter_context(closing(writer))
