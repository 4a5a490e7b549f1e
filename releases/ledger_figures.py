"""The figures of a release that its ledger gives, by which a stranger can check them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Line = Mapping[str, Any]
DEV, TEST, OPEN, BLACK_BOX = "dev", "test", "open", "black-box"
_PLACE = ("subject", "split", "subset", "option_count", "level")
_REST = ', "source": '
"""Where the part of a line begins that many items share; within a text its quotes are escaped."""


class LedgerFigures:
    """Counts the lines of a ledger one by one; `as_json` gives what `quality.json` holds.

    Most lines differ in their ids and hashes only. Those that count alike are counted together.
    """

    def __init__(self) -> None:
        self._alike: Counter[tuple[Any, ...]] = Counter()
        self._totals: Counter[str] = Counter()
        self._tables: dict[str, Counter[str]] = {name: Counter() for name in _TABLES}
        self._subjects: dict[str, Counter[str]] = {}
        self._rounds: dict[int, RoundFigures] = {}
        self._reviewers: set[str] = set()

    def add(self, text: str) -> None:
        """Count one line, given as it stands in the file."""
        head, _mark, rest = text.partition(_REST)
        line = json.loads(f"{head}}}")
        self._alike[*(line.get(name) for name in _PLACE), rest] += 1

    def add_all(self, lines: Iterable[str]) -> "LedgerFigures":
        for line in lines:
            self.add(line)
        return self

    def _count_all(self) -> None:
        """Count what is waiting, each sort of line once with its number."""
        for (*place, rest), number in self._alike.items():
            line = json.loads(f'{{"source": {rest}') | dict(zip(_PLACE, place, strict=True))
            self._count(line, number)
        self._alike.clear()

    def _count(self, line: Line, number: int) -> None:
        subject = self._subjects.setdefault(line["subject"], Counter())
        subject[line["split"]] += number
        subject[line["subset"]] += number
        for name, values in _TABLES.items():
            counted = Counter(values(line))
            self._tables[name].update({key: n * number for key, n in counted.items()})
        self._totals.update({name: count(line) * number for name, count in _TOTALS.items()})
        self._reviewers.update(line["reviewers"])
        for round_ in line["rounds"]:
            self._rounds.setdefault(round_["number"], RoundFigures()).add(round_, number)

    def as_json(self) -> dict[str, Any]:
        self._count_all()
        totals = {name: self._totals[name] for name in _TOTALS}
        judged = totals["judged_items"]
        return {
            **totals,
            "adjudicated_share": share(totals["adjudicated_items"], judged),
            "reviewers": len(self._reviewers),
            **{name: _sorted(table) for name, table in self._tables.items()},
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


_TABLES: dict[str, Callable[[Line], Iterable[str] | Counter[str]]] = {
    "levels": lambda line: [line["level"] or ""],
    "option_counts": lambda line: [str(line["option_count"])],
    "sources": _source,
    "systems": lambda line: [line["system"]],
    "origins": lambda line: [line["origin"]],
    "outcomes": lambda line: [line["outcome"] or "none"],
    "verdicts": _verdicts,
    "dismissed_findings": lambda line: [each["code"] for each in line["dismissed_findings"]],
}
_TOTALS: dict[str, Callable[[Line], int]] = {
    "items": lambda _line: 1,
    "test": _is("split", TEST),
    "dev": _is("split", DEV),
    "open": _is("subset", OPEN),
    "black_box": _is("subset", BLACK_BOX),
    "judged_items": lambda line: bool(line["reviewers"]),
    "adjudicated_items": lambda line: bool(line["is_adjudicated"]),
    "revised_items": lambda line: line["revisions"] > 1,
    "corrected_keys": lambda line: bool(line["key_changes"]),
    "judgements": lambda line: sum(_verdicts(line).values()),
}
