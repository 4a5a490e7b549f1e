"""Sections of the card: sizes, and how texts were made and reviewed, from the ledger's figures."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from releases.details.values import Author
from releases.files.exporters.all_hidden import withheld
from releases.files.exporters.citation import address_of, authors_of, title_of
from releases.files.manifest import Counts, ReleaseFacts, WaiverNote
from releases.option_orders import SHUFFLED
from releases.splits import SOURCE

Figures = Mapping[str, Any]


def sizes(counts: Counts) -> Iterator[str]:
    """Say how many items each level and each number of options has."""
    if counts.option_counts:
        yield "## Sizes\n\n"
        yield from _table("options", "items", counts.option_counts)
    if counts.levels:
        yield from _table("level", "open items", counts.levels)
    if counts.kinds:
        yield from _table("kind", "open items", counts.kinds)
        yield (
            f"{_without_options(sum(counts.kinds.values()))} "
            "The tasks for lm-evaluation-harness and Inspect and the layouts of other benchmarks "
            "leave them out; JSONL, CSV and Parquet have them.\n\n"
        )


def simulated(figures: Figures) -> Iterator[str]:
    """Warn of judgements that a program gave."""
    if number := figures.get("simulated_judgements", 0):
        decisions = figures.get("simulated_decisions", 0)
        yield (
            f"> **Simulated: not reviewed by people.** A program gave {number - decisions} of the "
            f"{figures['judgements']} judgements"
            f"{f' and {decisions} decisions about disputes and keys' if decisions else ''}, of "
            f"{figures['simulated_items']} of the {figures['items']} items.\n\n"
        )


def option_order(facts: ReleaseFacts, figures: Figures) -> Iterator[str]:
    """Say whether options keep their order, and how often each letter is the key."""
    if not figures:
        return
    yield "## Order of options\n\n"
    if facts.option_order == SHUFFLED:
        yield (
            "The options were shuffled so that each letter is the key about equally often in a "
            f"subject. {_unshuffled(facts.unshuffled)} of letters or "
            "places, such as “A and B”. `option_order` in `ledger.jsonl` gives for each option its "
            "letter in the item's own order"
            f"{'.' if facts.counts.open else ', for open items only.'}\n\n"
        )
    else:
        yield "The options stand in the order in which the items have them.\n\n"
    if facts.counts.open:
        yield from _table("key", "open items", figures["keys"])
    else:
        yield "No item is open, so no key is told.\n\n"


def making(figures: Figures, *, removed: int) -> Iterator[str]:
    """Describe systems, judgements, disputes and corrections of what is in the release.

    `removed` duplicates were excluded before.
    """
    if not figures:
        return
    yield "## How it was made\n\n"
    yield "All figures are of the items in this release; `ledger.jsonl` has them item by item.\n\n"
    yield from _table("system", "items", figures["systems"])
    yield from _table("text by", "items", figures["origins"])
    yield from (f"- {line}\n" for line in _lines(figures, removed))
    yield "\n"
    yield from _rounds(figures["rounds"])


def machine_translation(facts: ReleaseFacts) -> Iterator[str]:
    """Say what each system that translated here took, in calls, tokens and money."""
    if not facts.translated_by:
        return
    yield "## Machine translation\n\n"
    yield "What all jobs of a system took, also for items that are not in this release.\n\n"
    yield "| system | items translated | calls | tokens of prompts | tokens of answers | US$ |\n"
    yield "|---|---:|---:|---:|---:|---:|\n"
    for each in facts.translated_by:
        tokens = each["tokens"]
        price = "not known" if each["price"] is None else f"{float(each['price']):.2f}"
        yield (
            f"| {cell(each['system'])} | {each['items']} | {each['calls']} | {tokens['prompt']} | "
            f"{tokens['completion']} | {price} |\n"
        )
    yield "\n"


def explanations(facts: ReleaseFacts) -> Iterator[str]:
    """Say how many explanations a model wrote, and which."""
    if not facts.explained_by:
        return
    count, items = sum(facts.explained_by.values()), facts.counts.items
    yield "## Explanations by models\n\n"
    yield (
        f"A model wrote the explanation of {count} of the {items} items ({percent(count / items)}). It was "
        "not told the key, and an explanation was kept only if the answer of its model was the key.\n\n"
    )
    yield from _table("model", "items", facts.explained_by)


def _lines(figures: Figures, removed: int) -> Iterator[str]:
    yield f"{figures['reviewers']} reviewers gave {figures['judgements']} judgements."
    decisions = figures.get("simulated_decisions", 0)
    if number := figures.get("simulated_judgements", 0) - decisions:
        yield f"Simulated judgements, which a program gave and no person: {number}."
    if decisions:
        yield f"Simulated decisions about disputes and keys: {decisions}."
    yield f"Items judged: {figures['judged_items']} of {figures['items']}."
    yield (
        f"Items that a senior decided: {figures['adjudicated_items']} "
        f"({percent(figures['adjudicated_share'])} of those judged)."
    )
    yield f"Items with a corrected text: {figures['revised_items']}."
    yield f"Open items with a corrected key: {figures['corrected_keys']}."
    yield f"Duplicates removed before: {removed}."
    dismissed = figures["dismissed_findings"]
    named = "; ".join(f"{code} {number}" for code, number in dismissed.items())
    yield f"Dismissed findings: {sum(dismissed.values())}{f' ({named})' if named else ''}."


def _rounds(rounds: list[Figures]) -> Iterator[str]:
    if not rounds:
        return
    yield "| round | items | judgements | approved | revised | rejected | disputed |\n"
    yield "|---:|---:|---:|---:|---:|---:|---:|\n"
    for row in rounds:
        outcomes = (
            row["outcomes"].get(name, 0) for name in ("approved", "revised", "rejected", "disputed")
        )
        cells = (row["number"], row["items"], row["judgements"], *outcomes)
        yield f"| {' | '.join(map(str, cells))} |\n"
    yield (
        "\nThese are the rounds of the released items alone, which reviewers approved in the end. "
        "The agreement of reviewers over all items that they judged is in the stages of review.\n\n"
    )


TRANSLATED = "The items were written for another language and culture before they were translated."


def _table(name: str, number: str, rows: Mapping[str, int]) -> Iterator[str]:
    yield f"| {name} | {number} |\n|---|---:|\n"
    for value, count in rows.items():
        yield f"| {cell(value)} | {count} |\n"
    yield "\n"


def examples(facts: ReleaseFacts) -> Iterator[str]:
    """Say where the dev items come from."""
    if facts.dev_from == SOURCE:
        return
    others = facts.counts.dev - facts.carved
    yield (
        f"Of the {facts.counts.dev} dev items {others} are dev items of the source; {facts.carved} "
        "are test items there, drawn by subject and kept from version to version.\n\n"
    )


def people(told: Figures) -> Iterator[str]:
    """Describe who judged: how many, what they know, and what they are paid where it is recorded."""
    if not told:
        return
    yield "## Reviewers\n\n"
    yield f"- People who judged in the project: {told['reviewers']}.\n"
    yield f"- Of these with subjects of expertise on record: {told['with_subjects']}.\n"
    for code, number in told["languages"].items():
        yield f"- Of these with `{code}` on record: {number}.\n"
    yield f"- Of these with a rate of pay on record: {told['paid']}.\n"
    for row in told["pay"]:
        yield (
            f"- Pay for an hour, of {row['reviewers']} people: {row['lowest']} to "
            f"{row['highest']} {row['currency']}.\n"
        )
    yield "\n"


def waivers(notes: Sequence[WaiverNote]) -> Iterator[str]:
    """List what was waived in this version, by whom, when and why."""
    if not notes:
        return
    yield "## Waivers\n\n"
    yield "What was known when this version was made, and why it was made all the same.\n\n"
    yield "| code | reason | by | on | problems | items |\n|---|---|---|---|---:|---:|\n"
    for note in notes:
        by = note.role or "operator"
        yield (
            f"| `{note.code}` | {cell(note.reason)} | {by} | {note.day} "
            f"| {note.problems} | {note.items} |\n"
        )
    yield "\n"


def datasheet(facts: ReleaseFacts) -> Iterator[str]:
    """Answer the questions of a data sheet: each section gives the data's facts, then a manager's words."""
    for name, (title, known) in _SECTIONS.items():
        told = [known(facts), facts.details.prose.get(name, "").strip()]
        if any(told):
            yield f"## {title}\n\n"
            yield from (f"{each}\n\n" for each in told if each)


def citing(facts: ReleaseFacts) -> Iterator[str]:
    """Return a BibTeX entry; CITATION.cff says the same."""
    details = facts.details
    fields = {
        "title": _bibtex(title_of(facts)),
        "author": " and ".join(map(_bibtex_name, authors_of(facts))),
        "year": facts.day[:4],
        "version": _bibtex(facts.version),
        "doi": details.doi.translate(_IN_ADDRESSES),
        "url": address_of(facts).translate(_IN_ADDRESSES),
    }
    lines = [f"  {name} = {{{_one_line(value)}}},\n" for name, value in fields.items() if value]
    key = f"{facts.project}-{facts.version}"
    yield f"## Citation\n\n```bibtex\n@misc{{{key},\n{''.join(lines)}}}\n```\n\n"


def _bibtex_name(author: Author) -> str:
    """Return a name that BibTeX takes for one: in braces what it would divide at a comma or "and"."""
    if not author.family:
        return f"{{{_bibtex(author.whole)}}}"
    parts = (_bibtex(part) for part in (author.family, author.given) if part)
    return ", ".join(f"{{{part}}}" if _DIVIDED.search(part) else part for part in parts)


def _bibtex(text: str) -> str:
    """Escape every command: BibTeX counts braces also behind a backslash."""
    return text.translate(_IN_BIBTEX)


_DIVIDED = re.compile(r",|\band\b", re.IGNORECASE)
_IN_BIBTEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "%#&_$"}
    | {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
# Addresses stand in BibTeX as they are, except for what would end or open a field.
_IN_ADDRESSES = str.maketrans({sign: f"%{ord(sign):02X}" for sign in "{}\\"})


def _collection(facts: ReleaseFacts) -> str:
    names = ", ".join(f"{each.name} {each.revision}".strip() for each in facts.sources)
    who = "Reviewers" if not facts.simulated_judgements else "A program in place of reviewers"
    return (
        f"Items of {cell(names)}. {who} judged each text blind and independently of each other, "
        "in panels, by a written guideline; senior reviewers settled disputes."
    )


def _uses(facts: ReleaseFacts) -> str:
    marked = "every row carries the canary below" if facts.counts.open else "see the canary below"
    return f"Evaluation of language models. Not for training: {marked}."


def _limitations(facts: ReleaseFacts) -> str:
    told = [
        "" if facts.is_monolingual else TRANSLATED,
        withheld(facts) if facts.counts.black_box else "",
    ]
    return " ".join(filter(None, told))


def _maintenance(_facts: ReleaseFacts) -> str:
    return (
        "A published version never changes. A correction is a new version, and a version that "
        "should not be used is withdrawn with a reason."
    )


def _contributors(facts: ReleaseFacts) -> str:
    if not facts.contributors:
        return ""
    names = "\n".join(f"- {name}" for name in facts.contributors)
    return (
        "These people agreed to be named. Their order is that of their names; reviewers have "
        f"other names in the ledger.\n\n{names}"
    )


def _nothing(_facts: ReleaseFacts) -> str:
    return ""


_SECTIONS: dict[str, tuple[str, Callable[[ReleaseFacts], str]]] = {
    "motivation": ("Why it was made", _nothing),
    "collection": ("Collection and review", _collection),
    "uses": ("Uses", _uses),
    "limitations": ("Limitations", _limitations),
    "maintenance": ("Maintenance", _maintenance),
    "contributors": ("Contributors", _contributors),
}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def count_of(number: int, noun: str) -> str:
    """Return the number with its noun, with an s for all but one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _without_options(number: int) -> str:
    have, whose = ("has", "its") if number == 1 else ("have", "their")
    return f"{count_of(number, 'open item')} {have} no options: `reference` is {whose} answer."


def _unshuffled(number: int) -> str:
    one, many = "keeps its order, because it speaks", "keep their order, because they speak"
    return f"{count_of(number, 'item')} {one if number == 1 else many}"


_MARKUP = re.compile(r"(?<!\\)(\\*)([|<]|&(?=#?\w+;))")
"""What ends a table cell, opens a tag of HTML, in which text is lost, or stands for another sign."""


def cell(text: str) -> str:
    """Escape text so that it stays in its table cell and is shown whole."""
    return _MARKUP.sub(r"\1\1\\\2", " ".join(text.split()))
