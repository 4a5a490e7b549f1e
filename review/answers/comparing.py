"""The texts that a comparison shows: which they are, and in what order a person reads them.

A system's text is the latest one that came from the system, by import or from a machine: a text
that reviewers have corrected since is no longer the system's.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils.crypto import salted_hmac

from annotation.enums import Origin
from annotation.models import Revision
from annotation.querysets import is_shown
from review.models import Panel, Round

OF_SYSTEMS = (Origin.MT, Origin.IMPORTED)
Whole = tuple[str, tuple[str, ...], str, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text of a comparison under the number that people see, from 1.

    `revisions` are of all systems that gave exactly this text.
    """

    number: int
    question: str
    options: tuple[str, ...]
    answer: str
    explanation: str
    revisions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The texts of a panel as one person sees them; `token` changes with them and tells nothing."""

    texts: tuple[Candidate, ...]
    token: str


def system_texts(items: Collection[int]) -> Mapping[int, Sequence[Revision]]:
    """The text of each system by item, in the order of the systems' names; one query."""
    newer = Revision.objects.filter(
        translation=OuterRef("translation"), number__gt=OuterRef("number"), origin__in=OF_SYSTEMS
    )
    rows = Revision.objects.filter(
        ~Exists(newer),
        is_shown("translation__"),
        translation__item__in=items,
        origin__in=OF_SYSTEMS,
    )
    found: dict[int, list[Revision]] = defaultdict(list)
    for row in rows.select_related("translation").order_by("translation__system", "pk"):
        found[row.translation.item_id].append(row)
    return found


def candidates_for(panel: Panel, round_: Round, person: int) -> Candidates:
    """The texts of the panel's item in the order of `person`: another one for each, always the same."""
    revisions = system_texts([panel.item_id]).get(panel.item_id, ())
    alike: dict[Whole, list[int]] = defaultdict(list)
    for each in revisions:
        alike[each.question, tuple(each.options), each.answer, each.explanation].append(each.pk)
    salt = f"{round_.pk}:{round_.seed}:{panel.pk}:{person}"
    ordered = sorted(alike, key=lambda text: _drawn(salt, text))
    texts = tuple(
        Candidate(number, *text, revisions=tuple(alike[text]))
        for number, text in enumerate(ordered, start=1)
    )
    shown = ",".join(str(pk) for text in texts for pk in text.revisions)
    return Candidates(texts, salted_hmac("review.comparing", f"{salt}:{shown}").hexdigest()[:20])


def _drawn(salt: str, text: Whole) -> str:
    return salted_hmac("review.comparing.order", f"{salt}:{_digest(text)}").hexdigest()


def _digest(text: Whole) -> str:
    """Of question and options alone where there is nothing else, as rounds opened before have it."""
    said = text if any(text[2:]) else text[:2]
    return hashlib.sha256(repr(said).encode()).hexdigest()
