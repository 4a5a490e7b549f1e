"""Write what a release says about its items: the lists of hidden items, the ledger, the figures."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice

from releases.files.exporters.all_hidden import LIST_NAME, TEXTS_NAME
from releases.files.exporters.base import HiddenItem, ReleaseContent, ReleasedItem, Row
from releases.files.exporters.fact_figures import fact_figures
from releases.files.exporters.output import OutputFolder
from releases.files.ledger_figures import LedgerFigures
from releases.files.manifest import json_document, json_line

LINES = "application/jsonl"
LINES_AT_ONCE = 1_000
WriteLines = Callable[[Sequence[str]], None]


@contextmanager
def listing(content: ReleaseContent, folder: OutputFolder) -> Iterator[Iterator[Row]]:
    """Give the rows of the open items; the block must take all of them.

    While it does, `ledger.jsonl`, `black_box.jsonl` and, if only answers are withheld,
    `withheld.jsonl` are written, so that the items are read once, and at its end `quality.json`
    with the figures that the ledger gives.
    """
    figures = LedgerFigures()
    with ExitStack() as stack:
        tell, hide = (
            stack.enter_context(_lines(folder, name)) for name in ("ledger.jsonl", LIST_NAME)
        )
        items = content.items()
        if content.facts.has_withheld:
            items = _texts_written(items, stack.enter_context(_lines(folder, TEXTS_NAME)), content)
        yield _open_rows(items, figures, tell, hide)
    told = {"release": figures.as_json(), "build": fact_figures(content.facts)}
    data = json_document({**content.quality, **told})
    folder.add_bytes("quality.json", data, media_type="application/json")


def _texts_written(
    items: Iterator[ReleasedItem], show: WriteLines, content: ReleaseContent
) -> Iterator[ReleasedItem]:
    """Pass the items on, and write the texts of those whose answers are withheld."""
    canary = content.facts.canary
    for item in items:
        if item.text:
            show([json_line({**item.text._asdict(), "canary": canary})])
        yield item


def _open_rows(
    items: Iterator[ReleasedItem], figures: LedgerFigures, tell: WriteLines, hide: WriteLines
) -> Iterator[Row]:
    """Yield the open rows; lines of hidden items are held back and written last, in the order of their text.

    Few of them differ, so they are counted until then.
    """
    concealed: Counter[str] = Counter()
    while part := list(islice(items, LINES_AT_ONCE)):
        for item in part:
            figures.add(json.loads(item.line))
        tell([item.line for item in part if isinstance(item.told, Row)])
        concealed.update(item.line for item in part if isinstance(item.told, HiddenItem))
        told = [item.told for item in part]
        hide([json_line(each._asdict()) for each in told if isinstance(each, HiddenItem)])
        yield from (each for each in told if isinstance(each, Row))
    for text in sorted(concealed):
        tell([text] * concealed[text])


@contextmanager
def _lines(folder: OutputFolder, name: str) -> Iterator[WriteLines]:
    """Create a file, and give what writes lines to it."""
    with folder.create(name, media_type=LINES) as file:
        file.row_count = 0

        def write(lines: Sequence[str]) -> None:
            file.write("".join(lines).encode())
            file.row_count = (file.row_count or 0) + len(lines)

        yield write
