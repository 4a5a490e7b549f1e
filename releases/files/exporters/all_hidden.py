"""Describe the hidden items of a release, and one that hides every test item.

Then nobody can score a model with the files alone. Where there are no dev items either, no file
holds a text, and loaders are pointed to the list of the hidden items: otherwise they would guess,
and take the ledger for the data.
"""

from collections.abc import Iterator, Sequence

from releases.files.manifest import WITHHELD, ReleaseFacts

LIST_NAME = "black_box.jsonl"
TEXTS_NAME = "withheld.jsonl"
"""Questions and options of hidden items, if only their answers are withheld."""
SPLIT = "hidden"
"""What loaders call the list of hidden items: no split has this name."""


def hidden_words(facts: ReleaseFacts) -> str:
    """Say in the card how many test items are hidden, and what is published of them."""
    number = facts.counts.black_box
    if facts.has_withheld:
        return (
            f"The answers to {number} of the test items are withheld: their questions and options "
            f"are in `{TEXTS_NAME}`, under ids that tell nothing of their source, and their keys "
            "stay on the server of the project, where answers are scored."
        )
    return (
        f"{number} of the test items are in the black box: only "
        "their subjects and numbers of options are published, under ids that tell nothing of "
        f"their source (`{LIST_NAME}`)."
    )


def look_up_words(facts: ReleaseFacts) -> str:
    """Say what readers of a public source learn of the items that are hidden."""
    if facts.has_withheld:
        return (
            "anybody can match these items with the source and look up their keys. A high score "
            "on them proves little about facts"
        )
    translations = "" if facts.is_monolingual else ", their translations cannot"
    return f"their questions and keys can be looked up there{translations}"


def opening(facts: ReleaseFacts) -> Iterator[str]:
    """Return the sentences at the head of the card."""
    counts = facts.counts
    if not counts.hides_every_test:
        return
    if facts.has_withheld:
        yield "The answers to all test items are withheld, so a model cannot be scored with these "
        yield "files alone: its answers are scored on the server of the project. "
    else:
        yield "Every test item is hidden, so a model cannot be scored with these files alone: the "
        yield "project runs models on the hidden items itself. "
    if counts.open:
        yield "The dev items are open.\n\n"
    else:
        yield f"No item is open. `{LIST_NAME}` lists the hidden ones.\n\n"


def withheld(facts: ReleaseFacts) -> str:
    """Say in a sentence how many items are not published, or only without their answers."""
    counts = facts.counts
    if facts.has_withheld:
        noun = "item" if counts.black_box == 1 else "items"
        return f"The answers to {counts.black_box} test {noun} are not published."
    if counts.hides_every_test:
        return f"None of the {counts.black_box} test items is published."
    verb = "item is" if counts.black_box == 1 else "items are"
    return f"{counts.black_box} further {verb} not published."


def left_out(facts: ReleaseFacts, titles: Sequence[str]) -> Iterator[str]:
    """Say why the card describes no file of some formats; `titles` are the chosen formats."""
    if not facts.counts.hides_every_test:
        return
    if not facts.counts.open:
        yield f"- {_listed(titles)}: left out, because no item is open.\n"
    elif titles:
        yield f"- {_listed(titles)}: dev items only, because every test item is hidden.\n"
    yield "- Tasks for lm-evaluation-harness and Inspect: left out, because no test item is open.\n"


def loader_entry(facts: ReleaseFacts) -> str:
    """Return the configurations that give loaders something to load besides open items."""
    counts = facts.counts
    if facts.has_withheld:
        head = "configs:\n" if not counts.open else ""
        first = "" if counts.open else "  default: true\n"
        return (
            f'{head}- config_name: "{WITHHELD}"\n{first}  data_files:\n'
            f'  - split: {WITHHELD}\n    path: "{TEXTS_NAME}"\n'
        )
    if counts.open or not counts.hides_every_test:
        return ""
    return (
        f'configs:\n- config_name: "{SPLIT}"\n  default: true\n  data_files:\n'
        f'  - split: {SPLIT}\n    path: "{LIST_NAME}"\n'
    )


def canary_words(facts: ReleaseFacts) -> str:
    has_rows = facts.counts.open or facts.has_withheld
    return "Every row carries this string:" if has_rows else "This string marks the release:"


def _listed(titles: Sequence[str]) -> str:
    *most, last = titles
    return f"{', '.join(most)} and {last}" if most else last
