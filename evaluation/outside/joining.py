"""Finds the released item that an answer of another program is for, and how its options stood."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from evaluation.outside.orders import rotations_of
from evaluation.outside.readers.base import OutsideAnswer
from languages.folding import fold


@dataclass(frozen=True, slots=True)
class Place:
    """A released item as joining sees it: its row, what it may be known by, and its options."""

    pk: int
    ids: tuple[str, ...]
    question: str
    options: tuple[str, ...] = ()


@dataclass(slots=True)
class Joined:
    """What was joined, by (item, epoch), and what was not.

    `unjoined` are answers to no item of the release, `doubled` second answers to one item in one
    epoch; the first one counts. `rotations` are the rotations of options that fit each answer. Those of
    `reordered` fit none, and `untold` are answers to options whose order the file does not tell.
    """

    answers: dict[tuple[int, int], OutsideAnswer] = field(default_factory=dict)
    unjoined: list[OutsideAnswer] = field(default_factory=list)
    doubled: list[OutsideAnswer] = field(default_factory=list)
    rotations: set[frozenset[int]] = field(default_factory=set)
    reordered: list[OutsideAnswer] = field(default_factory=list)
    untold: list[OutsideAnswer] = field(default_factory=list)

    def add(self, place: Place, answer: OutsideAnswer) -> None:
        """Add the first answer to an item in an epoch, without what only tells the order."""
        rotations = rotations_of(answer, place.question, place.options)
        kept = replace(answer, options=(), prompt="")
        self.answers[place.pk, answer.epoch] = kept
        if rotations:
            self.rotations.add(rotations)
        elif rotations is not None:
            self.reordered.append(kept)
        elif place.options:
            self.untold.append(kept)


class Places:
    """The items of a release, found by id, else by a question that only one of them has."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._by_id: dict[str, Place] = {}
        self._by_question: dict[str, Place | None] = {}
        for place in places:
            for name in place.ids:
                self._by_id.setdefault(name, place)
            text = fold(place.question)
            is_known = text in self._by_question
            self._by_question[text] = None if is_known or not text.strip() else place

    def find(self, answer: OutsideAnswer) -> Place | None:
        """Return the item; None if nothing fits or several items have the question."""
        if (found := self._by_id.get(answer.uid)) is not None:
            return found
        return self._by_question.get(fold(answer.question)) if answer.question else None


def join(answers: Iterable[OutsideAnswer], places: Places) -> Joined:
    """Return the answers by item and epoch, the first one of each."""
    joined = Joined()
    for answer in answers:
        place = places.find(answer)
        if place is None:
            joined.unjoined.append(answer)
        elif (place.pk, answer.epoch) in joined.answers:
            joined.doubled.append(answer)
        else:
            joined.add(place, answer)
    return joined


def measured(joined: Joined) -> Iterator[tuple[str, float, int]]:
    """Yield the other program's own figures: measure, mean over the joined answers, and n."""
    values: dict[str, list[float]] = {}
    for answer in joined.answers.values():
        if answer.is_right is not None:
            values.setdefault(answer.measure, []).append(answer.is_right)
    for measure, found in sorted(values.items()):
        yield measure, sum(found) / len(found), len(found)
