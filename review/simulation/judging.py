"""Simulated reviewers of known competence: what each says of an item, from its truth and a seed.

For demos, load tests and tests of the statistics: from the truth and the profiles follows what
the figures must be. Everything is a pure function of the seed, the reviewer, the item and the
text.
"""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from projects.criteria import DEFAULT_CRITERIA, Criterion

MARK = "⟨simulated⟩"
FAULTY_SHARE = 0.35
# Mean ratings of faulty and of sound texts, as shares of the scale: 2.1 and 4.5 of 5.
FAULTY_CENTRE, SOUND_CENTRE = 0.42, 0.9


@dataclass(frozen=True, slots=True)
class Profile:
    """How a kind of reviewer works.

    `sees_fault` and `false_alarm` are probabilities of calling a faulty and a sound text
    faulty; `noise` is the standard deviation of their ratings; `same_words` the probability
    that a correction is the right text to the letter; `seconds` the mean time at an item.
    """

    name: str
    sees_fault: float
    false_alarm: float
    noise: float
    same_words: float
    seconds: float


PROFILES: Mapping[str, Profile] = {
    "careful": Profile("careful", 0.96, 0.02, 0.4, 0.92, 95),
    "average": Profile("average", 0.85, 0.07, 0.7, 0.75, 60),
    "hasty": Profile("hasty", 0.55, 0.12, 1.1, 0.45, 18),
}
MIXTURE = ("careful", "average", "average", "careful", "hasty")


@dataclass(frozen=True, slots=True)
class Truth:
    """What is really wrong with items: kinds of faults by uid, and right texts where known.

    Without named faults a text is faulty where the checks found an error, and else by a seeded
    draw for first revisions; later revisions are sound.
    """

    faults: Mapping[str, str]
    corrections: Mapping[str, Mapping[str, Any]]
    is_complete: bool

    def is_faulty(self, seat: Mapping[str, Any], seed: int) -> bool:
        uid = str(seat["item"]["uid"])
        if any(finding["severity"] == "error" for finding in seat["findings"]):
            return True
        if seat["revision"]["number"] > 1:
            return False
        if self.is_complete:
            return uid in self.faults
        return _random(seed, "truth", uid).random() < FAULTY_SHARE


def profiles_for(count: int, kind: str) -> list[Profile]:
    """The profile of each of `count` reviewers; `mixed` repeats a fixed mixture."""
    if kind == "mixed":
        return [PROFILES[MIXTURE[index % len(MIXTURE)]] for index in range(count)]
    return [PROFILES[kind]] * count


def judge(
    seat: Mapping[str, Any],
    *,
    reviewer: int,
    profile: Profile,
    truth: Truth,
    seed: int,
    criteria: Sequence[Criterion] = DEFAULT_CRITERIA,
) -> dict[str, Any]:
    """Return the body of a judgement on a claimed seat, in the shape of the API."""
    uid = str(seat["item"]["uid"])
    chance = _random(seed, reviewer, uid, seat["revision"]["number"])
    is_faulty = truth.is_faulty(seat, seed)
    threshold = profile.sees_fault if is_faulty else profile.false_alarm
    objects = chance.random() < threshold
    body: dict[str, Any] = {
        "verdict": "revise" if objects else "approve",
        "ratings": _ratings(chance, profile, criteria, is_faulty=is_faulty, objects=objects),
        "tags": [_tag(truth.faults.get(uid, ""))] if objects else [],
        "comment": "",
        "active_seconds": max(3, round(chance.gauss(profile.seconds, profile.seconds / 4))),
        "revision": seat["revision"]["id"],
    }
    if objects:
        body["correction"] = _correction(seat, truth, chance, profile, reviewer)
    return body


def _random(*seed: object) -> random.Random:
    digest = hashlib.sha256(repr(seed).encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))


def _ratings(
    chance: random.Random,
    profile: Profile,
    criteria: Sequence[Criterion],
    *,
    is_faulty: bool,
    objects: bool,
) -> dict[str, int]:
    """Draw a rating for each criterion around what experts gave before and after two rounds.

    Someone who objects to a sound text gives half a point less.
    """
    centre = FAULTY_CENTRE if is_faulty and objects else SOUND_CENTRE
    shift = 0.5 if objects and not is_faulty else 0.0
    return {
        each.name: _clamped(chance.gauss(_on_scale(centre, each) - shift, profile.noise), each)
        for each in criteria
    }


def _on_scale(share: float, criterion: Criterion) -> float:
    return criterion.lowest + share * (criterion.highest - criterion.lowest)


def _clamped(value: float, criterion: Criterion) -> int:
    return min(criterion.highest, max(criterion.lowest, round(value)))


def _tag(fault: str) -> str:
    by_fault = {
        "spliced_letters": "structure",
        "missing_option": "structure",
        "empty_option": "structure",
        "equal_options": "structure",
        "labels_left": "structure",
        "changed_number": "accuracy",
        "lost_negation": "accuracy",
        "untranslated": "terminology",
    }
    return by_fault.get(fault, "terminology")


def _correction(
    seat: Mapping[str, Any],
    truth: Truth,
    chance: random.Random,
    profile: Profile,
    reviewer: int,
) -> dict[str, Any]:
    known = truth.corrections.get(str(seat["item"]["uid"]))
    right = known or _marked(seat)
    question, options = str(right["question"]), [str(option) for option in right["options"]]
    if _is_same(seat, question, options):
        question += f" {MARK}"
    if chance.random() >= profile.same_words:
        question += f" {MARK} {reviewer}"
    return {"question": question, "options": options}


def _marked(seat: Mapping[str, Any]) -> dict[str, Any]:
    """A stand-in for the right text where nobody knows it: complete, changed, and marked."""
    options: Sequence[str] = seat["revision"]["options"]
    source: Sequence[str] = seat["source"]["options"]
    whole = [
        options[index] if index < len(options) and options[index].strip() else text
        for index, text in enumerate(source)
    ]
    if len(set(whole)) < len(whole):
        whole = list(source)
    question = str(seat["revision"]["question"]).strip() or str(seat["source"]["question"])
    if not options:
        question = str(seat["source"]["question"])
    return {"question": f"{question} {MARK}", "options": whole}


def _is_same(seat: Mapping[str, Any], question: str, options: Sequence[str]) -> bool:
    return question == seat["revision"]["question"] and list(options) == list(
        seat["revision"]["options"]
    )
