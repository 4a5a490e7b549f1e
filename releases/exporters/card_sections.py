"""Sections of the card: sizes, and how the texts were made and reviewed, from the ledger's figures."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from releases.exporters.citation import authors_of, title_of
from releases.manifest import Counts, ReleaseFacts

Figures = Mapping[str, Any]


def sizes(counts: Counts) -> Iterator[str]:
    """How many items each level and each number of options has."""
    if counts.option_counts:
        yield "## Sizes\n\n"
        yield from _table("options", "items", counts.option_counts)
    if counts.levels:
        yield from _table("level", "open items", counts.levels)


def making(figures: Figures) -> Iterator[str]:
    """Systems, judgements, disputes and corrections of what is in the release."""
    if not figures:
        return
    yield "## How it was made\n\n"
    yield "All figures are of the items in this release; `ledger.jsonl` has them item by item.\n\n"
    yield from _table("system", "items", figures["systems"])
    yield from _table("text by", "items", figures["origins"])
    yield from (f"- {line}\n" for line in _lines(figures))
    yield "\n"
    yield from _rounds(figures["rounds"])


def _lines(figures: Figures) -> Iterator[str]:
    yield f"{figures['reviewers']} reviewers gave {figures['judgements']} judgements."
    yield f"Items judged: {figures['judged_items']} of {figures['items']}."
    yield (
        f"Items that a senior decided: {figures['adjudicated_items']} "
        f"({percent(figures['adjudicated_share'])} of those judged)."
    )
    yield f"Items with a corrected text: {figures['revised_items']}."
    yield f"Open items with a corrected key: {figures['corrected_keys']}."
    dismissed = figures["dismissed_findings"]
    named = "; ".join(f"{code} {number}" for code, number in dismissed.items())
    yield f"Dismissed findings: {sum(dismissed.values())}{f' ({named})' if named else ''}."


def _rounds(rounds: list[Figures]) -> Iterator[str]:
    if not rounds:
        return
    yield "| round | items | judgements | approved | revised | rejected | disputed | same verdict |\n"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    for row in rounds:
        outcomes = (
            row["outcomes"].get(name, 0) for name in ("approved", "revised", "rejected", "disputed")
        )
        cells = (row["number"], row["items"], row["judgements"], *outcomes)
        yield f"| {' | '.join(map(str, cells))} | {percent(row['agreement'])} |\n"
    yield "\n"


def _table(name: str, number: str, rows: Mapping[str, int]) -> Iterator[str]:
    yield f"| {name} | {number} |\n|---|---:|\n"
    for value, count in rows.items():
        yield f"| {cell(value)} | {count} |\n"
    yield "\n"


def datasheet(facts: ReleaseFacts) -> Iterator[str]:
    """What a data sheet asks: each section says what the data tell, then what a manager wrote."""
    for name, (title, known) in _SECTIONS.items():
        told = [known(facts), facts.details.prose.get(name, "").strip()]
        if any(told):
            yield f"## {title}\n\n"
            yield from (f"{each}\n\n" for each in told if each)


def citing(facts: ReleaseFacts) -> Iterator[str]:
    """A BibTeX entry; CITATION.cff says the same."""
    details = facts.details
    fields = {
        "title": title_of(facts),
        "author": " and ".join(
            author.whole if author.family else f"{{{author.whole}}}" for author in authors_of(facts)
        ),
        "version": facts.version,
        "doi": details.doi,
        "url": details.url,
    }
    lines = [f"  {name} = {{{_one_line(value)}}},\n" for name, value in fields.items() if value]
    key = f"{facts.project}-{facts.version}"
    yield f"## Citation\n\n```bibtex\n@misc{{{key},\n{''.join(lines)}}}\n```\n\n"


def _collection(facts: ReleaseFacts) -> str:
    names = ", ".join(f"{each.name} {each.revision}".strip() for each in facts.sources)
    return (
        f"Items of {cell(names)}. Reviewers judged each text blind and independently of each other, "
        "in panels, by a written guideline; senior reviewers settled disputes."
    )


def _uses(_facts: ReleaseFacts) -> str:
    return "Evaluation of language models. Not for training: every row carries the canary below."


def _limitations(facts: ReleaseFacts) -> str:
    hidden = facts.counts.black_box
    return (
        "The items were written for another language and culture before they were translated."
        + (f" {hidden} further items are not published." if hidden else "")
    )


def _maintenance(_facts: ReleaseFacts) -> str:
    return (
        "A published version never changes. A correction is a new version, and a version that "
        "should not be used is withdrawn with a reason."
    )


def _nothing(_facts: ReleaseFacts) -> str:
    return ""


_SECTIONS: dict[str, tuple[str, Callable[[ReleaseFacts], str]]] = {
    "motivation": ("Why it was made", _nothing),
    "collection": ("Collection and review", _collection),
    "uses": ("Uses", _uses),
    "limitations": ("Limitations", _limitations),
    "maintenance": ("Maintenance", _maintenance),
}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def cell(text: str) -> str:
    """Text that stays in its table cell."""
    return " ".join(text.split()).replace("|", "\\|")
