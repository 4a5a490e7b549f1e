"""The data files: one pass over the rows of a release writes them in every chosen format."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import groupby, islice
from operator import attrgetter

from releases.exporters.base import DataFormat, ReleaseContent, RowWriter, file_stem
from releases.exporters.output import OutputFile, OutputFolder

ROWS_AT_ONCE = 500


def export(content: ReleaseContent, folder: OutputFolder) -> None:
    """Write the open items, one file a format for each split of each subject."""
    canary = content.facts.canary
    for (subject, split), rows in groupby(content.rows(), attrgetter("subject", "split")):
        path = f"{split}/{file_stem(subject)}"
        with _open_files(content.formats, folder, path, canary) as files:
            while part := list(islice(rows, ROWS_AT_ONCE)):
                for file, writer in files:
                    writer.write(part)
                    file.row_count = (file.row_count or 0) + len(part)


@contextmanager
def _open_files(
    formats: Sequence[DataFormat], folder: OutputFolder, path: str, canary: str
) -> Iterator[list[tuple[OutputFile, RowWriter]]]:
    """Give the file `path` of each format with its writer."""
    with ExitStack() as stack:
        files = []
        for each in formats:
            name = f"{each.name}/{path}.{each.name}"
            file = stack.enter_context(folder.create(name, media_type=each.media_type))
            files.append((file, stack.enter_context(closing(each.writer(file, canary)))))
        yield files
