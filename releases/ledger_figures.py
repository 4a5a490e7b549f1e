"""The figures of a release that its ledger gives, by which a stranger can check them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Line = Mapping[str, Any]
DEV, TEST, OPEN, BLACK_BOX = "dev", "test", "open", "black-box"
_PLACE = ("subject", "split", "subset", "option_count", "level", "kind", "key")
_REST = ', "source": '
"""Where the part of a line begins that many items share; within a text its quotes are escaped."""


class LedgerLine(NamedTuple):
    """A line of the ledger as the file has it, and what it has alike with others.

    `place` are the values of _PLACE, None for those that it does not tell, `rest` is its text from
    the source on.
    """

    text: str
    place: tuple[Any, ...]
    rest: str


def read_lines(texts: Iterable[str]) -> Iterator[LedgerLine]:
    """Lines of a file, all read at once. Raises ValueError where one is not one object."""
    texts = list(texts)
    parts = [text.partition(_REST) for text in texts]
    read = json.loads(f"[{','.join([f'{head}}}' for head, _mark, _rest in parts])}]")
    if len(read) != len(texts):
        raise ValueError("a line of the ledger is not one object")
    for text, line, (_head, _mark, rest) in zip(texts, read, parts, strict=True):
        yield LedgerLine(text, tuple(map(line.get, _PLACE)), rest)


class LedgerFigures:
    """Counts the lines of a ledger; `as_json` gives what `quality.json` holds.

    Most lines differ in their ids and hashes only. What they have alike is counted together: once
    what says where an item is, and once what review made of it.
    """

    def __init__(self) -> None:
        self._places: Counter[tuple[Any, ...]] = Counter()
        self._rests: Counter[str] = Counter()
        self._totals: Counter[str] = Counter()
        self._tables: dict[str, Counter[str]] = {name: Counter() for name in _TABLES}
        self._subjects: dict[str, Counter[str]] = {}
        self._rounds: dict[int, RoundFigures] = {}
        self._reviewers: set[str] = set()

    def add_all(self, lines: Iterable[LedgerLine]) -> "LedgerFigures":
        for line in lines:
            self._places[line.place] += 1
            self._rests[line.rest] += 1
        return self

    def _count_all(self) -> None:
        """Count what is waiting, each sort of it once with its number."""
        for place, number in self._places.items():
            line = dict(zip(_PLACE, place, strict=True))
            subject = self._subjects.setdefault(line["subject"], Counter())
            subject[line["split"]] += number
            subject[line["subset"]] += number
            self._count(line, number, _TABLES_OF_PLACES, _TOTALS_OF_PLACES)
        for rest, number in self._rests.items():
            line = json.loads(f'{{"source": {rest}')
            self._count(line, number, _TABLES_OF_RESTS, _TOTALS_OF_RESTS)
            self._reviewers.update(line["reviewers"])
            for round_ in line["rounds"]:
                self._rounds.setdefault(round_["number"], RoundFigures()).add(round_, number)
        self._places.clear()
        self._rests.clear()

    def _count(self, line: Line, number: int, tables: "Tables", totals: "Totals") -> None:
        for name, values in tables.items():
            counted = Counter(values(line))
            self._tables[name].update({key: n * number for key, n in counted.items()})
        self._totals.update({name: count(line) * number for name, count in totals.items()})

    def as_json(self) -> dict[str, Any]:
        self._count_all()
        totals = {name: self._totals[name] for name in _TOTALS}
        judged = totals["judged_items"]
        return {
            **totals,
            "adjudicated_share": share(totals["adjudicated_items"], judged),
            "reviewers": len(self._reviewers),
            **{
                name: _sorted(table)
                for name, table in self._tables.items()
                if name != "kinds" or _sorted(table)  # ledgers of choices alone say nothing of it
            },
            "subjects": {
                slug: {"test": found[TEST], "dev": found[DEV], "black_box": found[BLACK_BOX]}
                for slug, found in sorted(self._subjects.items())
            },
            "rounds": [
                {"number": number, **found.as_json()}
                for number, found in sorted(self._rounds.items())
            ],
        }


class RoundFigures:
    """What one round came to for the items of the release."""

    def __init__(self) -> None:
        self._items = 0
        self._judgements = 0
        self._pairs = 0
        self._agreeing = 0
        self._outcomes: Counter[str] = Counter()
        self._decisions: Counter[str] = Counter()

    def add(self, round_: Mapping[str, Any], number: int) -> None:
        """Count what `number` items have alike."""
        verdicts = round_["judgements"].values()
        count = sum(verdicts)
        self._items += number
        self._judgements += number * count
        self._pairs += number * (count * (count - 1) // 2)
        self._agreeing += number * sum(n * (n - 1) // 2 for n in verdicts)
        self._outcomes[round_["outcome"] or "none"] += number
        if round_["adjudication"]:
            self._decisions[round_["adjudication"]["decision"]] += number

    def as_json(self) -> dict[str, Any]:
        """`agreement` is the share of pairs of judgements on one text with the same verdict."""
        return {
            "items": self._items,
            "judgements": self._judgements,
            "outcomes": _sorted(self._outcomes),
            "adjudications": _sorted(self._decisions),
            "agreement": share(self._agreeing, self._pairs),
        }


def share(part: int, whole: int) -> float | None:
    """A share with six digits; None where there is nothing to have a share of."""
    return round(part / whole, 6) if whole else None


def _sorted(table: Counter[str]) -> dict[str, int]:
    return {name: table[name] for name in sorted(table) if name}


def _source(line: Line) -> list[str]:
    return [f"{line['source']} {line['source_revision']}".strip()]


def _verdicts(line: Line) -> Counter[str]:
    found: Counter[str] = Counter()
    for round_ in line["rounds"]:
        found.update(round_["judgements"])
    return found


def _is(name: str, value: str) -> Callable[[Line], int]:
    return lambda line: line[name] == value


Tables = dict[str, Callable[[Line], Iterable[str] | Counter[str]]]
Totals = dict[str, Callable[[Line], int]]
_TABLES_OF_PLACES: Tables = {
    "levels": lambda line: [line["level"] or ""],
    "option_counts": lambda line: [str(line["option_count"])],
    "kinds": lambda line: [line["kind"] or ""],
    "keys": lambda line: [] if line["kind"] else [line["key"] or ""],
}
_TABLES_OF_RESTS: Tables = {
    "sources": _source,
    "systems": lambda line: [line["system"]],
    "origins": lambda line: [line["origin"]],
    "outcomes": lambda line: [line["outcome"] or "none"],
    "verdicts": _verdicts,
    "dismissed_findings": lambda line: [each["code"] for each in line["dismissed_findings"]],
    "waivers": lambda line: line.get("waivers", ()),
}
_TABLES = _TABLES_OF_PLACES | _TABLES_OF_RESTS
_TOTALS_OF_PLACES: Totals = {
    "items": lambda _line: 1,
    "test": _is("split", TEST),
    "dev": _is("split", DEV),
    "open": _is("subset", OPEN),
    "black_box": _is("subset", BLACK_BOX),
}
_TOTALS_OF_RESTS: Totals = {
    "judged_items": lambda line: bool(line["reviewers"]),
    "adjudicated_items": lambda line: bool(line["is_adjudicated"]),
    "revised_items": lambda line: line["revisions"] > 1,
    "corrected_keys": lambda line: bool(line["key_changes"]),
    "judgements": lambda line: sum(_verdicts(line).values()),
}
_TOTALS = _TOTALS_OF_PLACES | _TOTALS_OF_RESTS
