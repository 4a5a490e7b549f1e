"""What simulated reviewers give in comparisons and solving rounds, from a known truth and a seed.

Bodies are in the shape of the API. Whoever knows the profile, the keys and the systems' shares of
faulty texts knows what the figures must come to.
"""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from languages.letters import letters_of
from projects.criteria import DEFAULT_CRITERIA, Criterion
from review.simulation.judging import FAULTY_CENTRE, FAULTY_SHARE, SOUND_CENTRE, Profile

UNSURE_SHARE = 0.03


@dataclass(frozen=True, slots=True)
class AnswerTruth:
    """The right keys by uid, whose each text is by (uid, question), and how often systems fail.

    A text of a system that `faulty_shares` does not name is faulty as often as others are.
    """

    keys: Mapping[str, str]
    systems: Mapping[tuple[str, str], str]
    faulty_shares: Mapping[str, float]
    seed: int

    def is_faulty(self, uid: str, question: str) -> bool:
        """A seeded draw for each system and item, the same for all reviewers."""
        system = self.systems.get((uid, question), "")
        share = self.faulty_shares.get(system, FAULTY_SHARE)
        return _random(self.seed, "text", uid, system).random() < share


def answer(
    seat: Mapping[str, Any],
    *,
    reviewer: int,
    profile: Profile,
    truth: AnswerTruth,
    criteria: Sequence[Criterion] = DEFAULT_CRITERIA,
) -> dict[str, Any]:
    """The body of an answer on a seat that was taken, of whichever kind its round is."""
    chance = _random(truth.seed, reviewer, seat["kind"], seat["item"]["uid"])
    body = _compared(seat, chance, profile, truth, criteria) if "texts" in seat else {}
    if not body:
        body = {"choice": _choice(seat, chance, profile, truth)}
    seconds = max(3, round(chance.gauss(profile.seconds, profile.seconds / 4)))
    return {"comment": "", "active_seconds": seconds, **body}


def _choice(
    seat: Mapping[str, Any], chance: random.Random, profile: Profile, truth: AnswerTruth
) -> str | None:
    """The key as often as the profile sees a fault, now and then nothing, else a wrong letter."""
    if chance.random() < UNSURE_SHARE:
        return None
    key = truth.keys.get(seat["item"]["uid"], "")
    letters = letters_of(seat["item"]["option_count"])
    wrong = [letter for letter in letters if letter != key]
    if not wrong or (key in letters and chance.random() < profile.sees_fault):
        return key
    return chance.choice(wrong)


def _compared(
    seat: Mapping[str, Any],
    chance: random.Random,
    profile: Profile,
    truth: AnswerTruth,
    criteria: Sequence[Criterion],
) -> dict[str, Any]:
    """Yes or no and ratings for each text, and ranks by what the person thinks of them."""
    said = []
    for text in seat["texts"]:
        is_faulty = truth.is_faulty(seat["item"]["uid"], text["question"])
        objects = chance.random() < (profile.sees_fault if is_faulty else profile.false_alarm)
        ratings = _ratings(chance, profile, criteria, is_bad=objects)
        said.append({"number": text["number"], "is_approved": not objects, "ratings": ratings})
    merits = [(each["is_approved"], sum(each["ratings"].values())) for each in said]
    for each, merit in zip(said, merits, strict=True):
        each["rank"] = 1 + sum(other > merit for other in merits)
    return {"token": seat["token"], "texts": said}


def _ratings(
    chance: random.Random, profile: Profile, criteria: Sequence[Criterion], *, is_bad: bool
) -> dict[str, int]:
    centre = FAULTY_CENTRE if is_bad else SOUND_CENTRE
    found = {}
    for each in criteria:
        mean = each.lowest + centre * (each.highest - each.lowest)
        drawn = round(chance.gauss(mean, profile.noise))
        found[each.name] = min(each.highest, max(each.lowest, drawn))
    return found


def _random(*seed: object) -> random.Random:
    digest = hashlib.sha256(repr(seed).encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))


def shares_of(texts: Sequence[str]) -> dict[str, float]:
    """{system: share} of texts such as "mt=0.2". Raises ValueError."""
    found = {}
    for text in texts:
        system, equals, share = text.rpartition("=")
        if not equals or not system or not 0 <= float(share) <= 1:
            raise ValueError(text)
        found[system] = float(share)
    return found
