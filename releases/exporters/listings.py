"""What a release says about its items: the black box's public list, the ledger, the figures."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from releases.exporters.base import HiddenItem, ReleaseContent, ReleasedItem, Row
from releases.exporters.fact_figures import fact_figures
from releases.exporters.output import OutputFolder
from releases.ledger_figures import LedgerFigures
from releases.manifest import json_document, json_line

LINES = "application/jsonl"
LINES_AT_ONCE = 1_000
WriteLines = Callable[[Sequence[str]], None]


@contextmanager
def listing(content: ReleaseContent, folder: OutputFolder) -> Iterator[Iterator[Row]]:
    """Give the rows of the open items; the block must take all of them.

    While it does, `ledger.jsonl` and `black_box.jsonl` are written, so that the items are read
    once, and at its end `quality.json` with the figures that the ledger gives.
    """
    figures = LedgerFigures()
    with _lines(folder, "ledger.jsonl") as tell, _lines(folder, "black_box.jsonl") as hide:
        yield _open_rows(content.items(), figures, tell, hide)
    told = {"release": figures.as_json(), "build": fact_figures(content.facts)}
    data = json_document({**content.quality, **told})
    folder.add_bytes("quality.json", data, media_type="application/json")


def _open_rows(
    items: Iterator[ReleasedItem], figures: LedgerFigures, tell: WriteLines, hide: WriteLines
) -> Iterator[Row]:
    """The lines of hidden items come last and by their text, so that none is that of an id.

    Few of them differ, so they are counted until then.
    """
    concealed: Counter[str] = Counter()
    while part := list(islice(items, LINES_AT_ONCE)):
        figures.add_all(item.line for item in part)
        tell([item.line.text for item in part if isinstance(item.told, Row)])
        concealed.update(item.line.text for item in part if isinstance(item.told, HiddenItem))
        told = [item.told for item in part]
        hide([json_line(each._asdict()) for each in told if isinstance(each, HiddenItem)])
        yield from (each for each in told if isinstance(each, Row))
    for text in sorted(concealed):
        tell([text] * concealed[text])


@contextmanager
def _lines(folder: OutputFolder, name: str) -> Iterator[WriteLines]:
    """Make a file, and give what writes lines to it."""
    with folder.create(name, media_type=LINES) as file:
        file.row_count = 0

        def write(lines: Sequence[str]) -> None:
            file.write("".join(lines).encode())
            file.row_count = (file.row_count or 0) + len(lines)

        yield write
