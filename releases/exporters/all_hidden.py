"""What the descriptions of a release say where every test item is hidden.

Then nobody can score a model with the files alone. Where there are no dev items either, no file
holds a text, and loaders are pointed to the list of the hidden items: otherwise they would guess,
and take the ledger for the data.
"""

from collections.abc import Iterator, Sequence

from releases.manifest import Counts, ReleaseFacts

LIST_NAME = "black_box.jsonl"
SPLIT = "hidden"
"""What loaders call the list of hidden items: no split has this name."""


def opening(counts: Counts) -> Iterator[str]:
    """The sentences at the head of the card."""
    if not counts.hides_every_test:
        return
    yield "Every test item is hidden, so a model cannot be scored with these files alone: the "
    yield "project runs models on the hidden items itself. "
    if counts.open:
        yield "The dev items are open.\n\n"
    else:
        yield f"No item is open. `{LIST_NAME}` lists the hidden ones.\n\n"


def withheld(counts: Counts) -> str:
    """How many items are not published, in a sentence."""
    if counts.hides_every_test:
        return f"None of the {counts.black_box} test items is published."
    verb = "item is" if counts.black_box == 1 else "items are"
    return f"{counts.black_box} further {verb} not published."


def left_out(facts: ReleaseFacts, titles: Sequence[str]) -> Iterator[str]:
    """Why the card describes no file of some formats; `titles` are the chosen ones of the rows."""
    if not facts.counts.hides_every_test:
        return
    if not facts.counts.open:
        yield f"- {_listed(titles)}: left out, because no item is open.\n"
    elif titles:
        yield f"- {_listed(titles)}: dev items only, because every test item is hidden.\n"
    yield "- Tasks for lm-evaluation-harness and Inspect: left out, because no test item is open.\n"


def loader_entry() -> str:
    """The configuration that gives loaders of a release without open items something to load."""
    return (
        f'configs:\n- config_name: "{SPLIT}"\n  default: true\n  data_files:\n'
        f'  - split: {SPLIT}\n    path: "{LIST_NAME}"\n'
    )


def canary_words(counts: Counts) -> str:
    return "Every row carries this string:" if counts.open else "This string marks the release:"


def _listed(titles: Sequence[str]) -> str:
    *most, last = titles
    return f"{', '.join(most)} and {last}" if most else last
