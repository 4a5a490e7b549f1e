"""Checks that the ids of response files are unique, and counts how often each item was right."""

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from scoring.metrics import Repeats
from scoring.response_files import ResponseFile, ResponseFileError, chunks_of
from scoring.response_rows import RowReader, RowRules


@dataclass(slots=True)
class NotedRows:
    """The rows of one subject and epoch in a chunk.

    right: for each of `uids` the methods that found the key, as bits; the first method is bit 0
    without_id: the number of rows without an id, by the same bits
    """

    subject: str
    epoch: int
    uids: list[str] = field(default_factory=list)
    right: bytearray = field(default_factory=bytearray)
    without_id: Counter[int] = field(default_factory=Counter)

    def add(self, uid: str | None, right: int) -> None:
        if uid is None:
            self.without_id[right] += 1
        else:
            self.uids.append(uid)
            self.right.append(right)


@dataclass(slots=True)
class _Group:
    """The rows of one subject and epoch in a file, with the hashes of their ids."""

    hashes: "array[int]" = field(default_factory=lambda: array("q"))
    right: bytearray = field(default_factory=bytearray)
    without_id: Counter[int] = field(default_factory=Counter)


class RowIds:
    """The ids of the rows of one file, stored as hashes, which takes nine bytes a row.

    If two hashes are equal, `check` reads the file again to compare the ids.
    """

    def __init__(self, file: ResponseFile, rules: RowRules) -> None:
        self._file, self._rules = file, rules
        self._groups: dict[tuple[str, int], _Group] = {}

    def add(self, noted: NotedRows) -> None:
        group = self._groups.setdefault((noted.subject, noted.epoch), _Group())
        group.hashes.extend(map(hash, noted.uids))
        group.right += noted.right
        group.without_id.update(noted.without_id)

    def check(self) -> None:
        """Raises ResponseFileError (duplicate_id) if an id occurs twice in a subject and epoch."""
        suspects = set().union(*(_twice(group.hashes) for group in self._groups.values()))
        if suspects:
            self._compare(suspects)

    def check_not_empty(self) -> None:
        """Raises ResponseFileError (empty_file) if there are no rows."""
        if not self._groups:
            raise ResponseFileError("empty_file", self._file.path)

    def _compare(self, suspects: set[int]) -> None:
        """Read the rows again. This raises the same error for an invalid row as the first time."""
        first_rows: dict[tuple[str, str, int], int] = {}
        reader = RowReader(self._file, self._rules)
        for chunk in chunks_of(self._file):
            for row in reader.rows(chunk):
                if row.uid is None or hash(row.uid) not in suspects:
                    continue
                place = (row.head.subject, row.uid, row.head.epoch)
                first = first_rows.setdefault(place, row.row)
                if first != row.row:
                    raise ResponseFileError(
                        "duplicate_id", self._file.path, row.row, id=row.uid, first_row=first
                    )

    @property
    def groups(self) -> Iterable[tuple[tuple[str, int], _Group]]:
        return self._groups.items()


def repeats_by_subject(ids: Iterable[RowIds], method: int) -> dict[str, Repeats] | None:
    """Return for each subject how often its items were asked and right; None with one epoch.

    `method` is its bit in `NotedRows.right`. A subject and an id identify an item. A row without an
    id is an item of its own. Two ids with the same hash would count as one item; with a million ids
    in a subject, the probability of that is 1 in 37 million.
    """
    groups: dict[str, list[_Group]] = {}
    epochs = set()
    for (subject, epoch), group in chain.from_iterable(one.groups for one in ids):
        groups.setdefault(subject, []).append(group)
        epochs.add(epoch)
    if len(epochs) == 1:
        return None
    return {subject: _repeats(same, method) for subject, same in groups.items()}


def _repeats(groups: list[_Group], method: int) -> Repeats:
    hashes = np.concatenate([np.frombuffer(group.hashes, np.int64) for group in groups])
    bits = np.concatenate([np.frombuffer(group.right, np.uint8) for group in groups])
    _, item, asked = np.unique(hashes, return_inverse=True, return_counts=True)
    right = np.bincount(item, weights=bits >> method & 1, minlength=len(asked)).astype(int)
    repeats = Counter(zip(right.tolist(), asked.tolist(), strict=True))
    for group in groups:
        for bits_without_id, count in group.without_id.items():
            repeats[bits_without_id >> method & 1, 1] += count
    return repeats


def _twice(hashes: "array[int]") -> set[int]:
    ordered = np.sort(np.frombuffer(hashes, np.int64))
    return set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
