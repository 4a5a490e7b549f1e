"""Why somebody should look at a submission: a code with its parameters, and the words for both."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from submissions.enums import FlagCode

LARGEST_ODDS = 1_000_000_000
"""A larger number says no more to anybody, and does not fit on a phone."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What was found of a submission, before it is stored as a flag."""

    code: FlagCode
    params: Mapping[str, Any] = field(default_factory=dict)


def flag_text(code: str, params: Mapping[str, Any]) -> str:
    """Put a stored flag into the language of whoever reads it now."""
    with suppress(KeyError, TypeError, ValueError, ZeroDivisionError):  # of another version
        return _text(code, params)
    return _("It was flagged with the code “%(code)s”.") % {"code": code}


def _text(code: str, params: Mapping[str, Any]) -> str:
    if code in {FlagCode.NOTE, FlagCode.OTHER}:
        return str(params["text"])
    if code == FlagCode.MEMBERS:
        params = {"people": ", ".join(params["people"])}
        words = _("In its team are people who are or were members of the project: %(people)s.")
    elif code == FlagCode.SAME_ANSWERS:
        words = _("Answers nearly equal to those of submission %(submission)s of another team.")
        if "chance" in params:
            params = {**params, "odds": _odds(params["chance"])}
            words = _(
                "Answers nearly equal to those of submission %(submission)s of another team: of "
                "%(wrong)s items that either has wrong, both have %(alike)s wrong in the same way. By "
                "chance, at most one pair in %(odds)s has as many."
            )
    elif code == FlagCode.WRONG_KEYS:
        words = _("Answers all %(keys)s items whose keys were wrong by those keys.")
    elif code == FlagCode.FALSE_KEYS:
        params = {**params, "odds": _odds(params["chance"])}
        words = _(
            "Follows %(followed)s of %(false_keys)s false keys in copy %(copy)s of the keys of "
            "%(version)s for %(recipient)s. By chance, at most one honest submission in %(odds)s "
            "follows as many."
        )
    else:
        raise KeyError(code)
    return words % params


def _odds(chance: float) -> str:
    """Return how many submissions one by chance is among, with two digits."""
    odds = 1 / max(chance, 1 / LARGEST_ODDS)
    return f"{int(float(f'{odds:.1e}')):,}"
