"""Compute the figures of a release that its ledger gives, so that a stranger can check them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

Line = Mapping[str, Any]
DEV, TEST, OPEN, BLACK_BOX = "dev", "test", "open", "black-box"


class LedgerFigures:
    """Counts the lines of a ledger; `as_json` gives what `quality.json` holds."""

    def __init__(self) -> None:
        self._totals: Counter[str] = Counter()
        self._tables: dict[str, Counter[str]] = {name: Counter() for name in _TABLES}
        self._subjects: dict[str, Counter[str]] = {}
        self._rounds: dict[int, RoundFigures] = {}
        self._reviewers: set[str] = set()

    def add(self, line: Line) -> None:
        """Count a line."""
        subject = self._subjects.setdefault(line["subject"], Counter())
        subject[line["split"]] += 1
        subject[line["subset"]] += 1
        for name, values in _TABLES.items():
            table = self._tables[name]
            for value in values(line):
                table[value] += 1
        for name, count in _TOTALS.items():
            self._totals[name] += count(line)
        self._reviewers.update(line["reviewers"])
        for round_ in line["rounds"]:
            self._rounds.setdefault(round_["number"], RoundFigures()).add(round_)

    def as_json(self) -> dict[str, Any]:
        totals = {name: self._totals[name] for name in _TOTALS}
        if not totals["simulated_decisions"]:
            del totals["simulated_decisions"]  # ledgers of people alone say nothing of it
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
    """The figures of one round over the items of the release."""

    def __init__(self) -> None:
        self._items = 0
        self._judgements = 0
        self._pairs = 0
        self._agreeing = 0
        self._outcomes: Counter[str] = Counter()
        self._decisions: Counter[str] = Counter()

    def add(self, round_: Mapping[str, Any]) -> None:
        """Count what the round came to for one item."""
        verdicts = round_["judgements"].values()
        count = sum(verdicts)
        self._items += 1
        self._judgements += count
        self._pairs += count * (count - 1) // 2
        self._agreeing += sum(n * (n - 1) // 2 for n in verdicts)
        self._outcomes[round_["outcome"] or "none"] += 1
        if round_["adjudication"]:
            self._decisions[round_["adjudication"]["decision"]] += 1

    def as_json(self) -> dict[str, Any]:
        """Return the figures; `agreement` is the share of pairs of judgements with the same verdict."""
        return {
            "items": self._items,
            "judgements": self._judgements,
            "outcomes": _sorted(self._outcomes),
            "adjudications": _sorted(self._decisions),
            "agreement": share(self._agreeing, self._pairs),
        }


def share(part: int, whole: int) -> float | None:
    """Return a share with six digits, or None of nothing."""
    return round(part / whole, 6) if whole else None


def _sorted(table: Counter[str]) -> dict[str, int]:
    return {name: table[name] for name in sorted(table) if name}


def _verdicts(line: Line) -> Iterator[str]:
    for round_ in line["rounds"]:
        for verdict, number in round_["judgements"].items():
            yield from repeat(verdict, number)


def _simulated(line: Line) -> int:
    judged: int = sum(round_.get("simulated_judgements", 0) for round_ in line["rounds"])
    return judged + _simulated_decisions(line)


def _simulated_decisions(line: Line) -> int:
    made = [round_["adjudication"] or {} for round_ in line["rounds"]]
    return sum(bool(each.get("is_simulated")) for each in [*made, *line["key_changes"]])


def _is(name: str, value: str) -> Callable[[Line], int]:
    return lambda line: line[name] == value


_TABLES: dict[str, Callable[[Line], Iterable[str]]] = {
    "levels": lambda line: [line.get("level") or ""],
    "option_counts": lambda line: [str(line["option_count"])],
    "kinds": lambda line: [line.get("kind") or ""],
    "keys": lambda line: [] if line.get("kind") else [line.get("key") or ""],
    "sources": lambda line: [f"{line['source']} {line['source_revision']}".strip()],
    "systems": lambda line: [line["system"]],
    "origins": lambda line: [line["origin"]],
    "outcomes": lambda line: [line["outcome"] or "none"],
    "verdicts": _verdicts,
    "dismissed_findings": lambda line: [each["code"] for each in line["dismissed_findings"]],
    "waivers": lambda line: line.get("waivers", ()),
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
    "judgements": lambda line: len(list(_verdicts(line))),
    "simulated_judgements": _simulated,
    "simulated_items": lambda line: bool(_simulated(line)),
    "simulated_decisions": _simulated_decisions,
}
