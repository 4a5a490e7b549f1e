"""Options that stop before their end, by how the other options of the item end and how long they are."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from annotation.checks.catalogue.base import Check, CheckInput, Problem
from annotation.checks.catalogue.likeness import length_of, log_ratio, variance_of
from annotation.checks.catalogue.tokens import in_plain_math
from annotation.importers.labels import gettext_noop as _
from annotation.text_fields import option_field
from languages import get_language

CLEARLY: Final = 2.5
"""From this logarithm of likelihood on, an option is reported."""
TELLING: Final = 1.0
"""From here on, a part of the logarithm is named as a reason."""

_PARTS_LEFT: Final = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_BY_CHANCE: Final = 0.01
_VARIANCE_OF_STYLE: Final = 0.02
_SHORT: Final = 0.8
_MARKED_INSIDE: Final = 0.05
_DOUBT: Final = 0.3
_FEWEST: Final = 2
_SIGN: Final = re.compile(r"[A-Za-z0-9]+")
_TSHEG: Final = "་"
_IDLE: Final = f" \n{_TSHEG}"
_ENDS: Final = ".?!)）]】}”\"'’»%°…"


@dataclass(frozen=True, slots=True)
class _Option:
    """What one option shows; `ratio` is the logarithm of its length by that of its source."""

    ratio: float
    variance: float
    is_marked: bool


class OptionCut(Check):
    """An option stops in the middle, while the others go on to their ends."""

    code = "option_cut"
    severity = "warning"
    family = "parity"
    title = _("Option may lack its end")
    sentence = _("This option may stop before its end: %(why)s.")
    reasons = MappingProxyType(
        {
            "short": _("beside its source, it is much shorter than the other options"),
            "short_and_open": _(
                "beside its source, it is shorter than the other options, and no mark ends it as "
                "it ends them"
            ),
        }
    )
    compares_fields = True
    why = _(
        "Half an option is often another answer. The options of one item are translated in one "
        "manner: about as many times as long as their sources, and all with a mark at the end or "
        "all without."
    )
    faulty = _(
        "The source has four long options. Three of their renderings end with a full stop, and "
        "the fourth is half as long as the source suggests and stops without one."
    )
    sound = _("All four renderings are about twice as long as their sources.")
    fix = _("Compare the end of the option with the source, and translate what is missing.")
    when_wrong = _("Dismiss the finding where a short rendering says all that the source says.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the length and the end of each option with those of the others."""
        if not given.is_readable or len(given.options) < _FEWEST or not _may_be_cut(given):
            return
        options = _read(given)
        for at, option in enumerate(options):
            others = [*options[:at], *options[at + 1 :]]
            short, is_open = _shortness(option, others), _openness(option, others)
            if short > 0 and short + is_open > CLEARLY:
                data = {"reason": "short_and_open" if is_open > TELLING else "short"}
                end = len(given.options[at])
                yield Problem(self.code, self.severity, option_field(at), 0, end, data)


def cut_by_length(off: float, deviation: float) -> float:
    """Return the logarithm of how much likelier a cut text is this much shorter than a whole one.

    `off` is the distance from the usual logarithm of the ratio to the source, `deviation` that
    which whole texts have. A part between 0.3 and 0.8 of a cut text is left.
    """
    cut = sum(_density(off - math.log(part), deviation) for part in _PARTS_LEFT)
    return math.log(cut / len(_PARTS_LEFT)) - math.log(_density(off, deviation))


def _density(off: float, deviation: float) -> float:
    """Return the density of a normal distribution without its constant, and of odd cases beside it."""
    return math.exp(-0.5 * (off / deviation) ** 2) / deviation + _BY_CHANCE


def _may_be_cut(given: CheckInput) -> bool:
    """Return whether an option is short beside its source: quick to see."""
    sources, texts = list(map(len, given.source_options)), list(map(len, given.options))
    usual = _SHORT * sum(texts) / max(sum(sources), 1)
    return any(text < usual * source for source, text in zip(sources, texts, strict=True))


def _read(given: CheckInput) -> list[_Option]:
    sources, texts = map(_lengths, (given.source_options, given.options))
    shorter = sources if sum(sources) <= sum(texts) else texts
    ends = get_language(given.target_language).sentence_marks.replace(_TSHEG, "") + _ENDS
    return [
        _Option(log_ratio(source, text), variance_of(short), option.rstrip(_IDLE)[-1:] in ends)
        for source, text, short, option in zip(sources, texts, shorter, given.options, strict=True)
    ]


def _lengths(texts: Sequence[str]) -> list[int]:
    """Return lengths without Latin words and digits, which no translation makes longer."""
    return [length_of(_SIGN.sub("", in_plain_math(text))) for text in texts]


def _shortness(option: _Option, others: Sequence[_Option]) -> float:
    weights = [1 / other.variance for other in others]
    usual = sum(w * other.ratio for w, other in zip(weights, others, strict=True)) / sum(weights)
    variance = option.variance + 1 / sum(weights) + _VARIANCE_OF_STYLE
    return cut_by_length(option.ratio - usual, math.sqrt(variance))


def _openness(option: _Option, others: Sequence[_Option]) -> float:
    """Compare how likely a mark is at the end, by the other options, and within an option."""
    marked = (sum(other.is_marked for other in others) + _DOUBT) / (len(others) + 2 * _DOUBT)
    whole, cut = (marked, _MARKED_INSIDE) if option.is_marked else (1 - marked, 1 - _MARKED_INSIDE)
    return math.log(cut) - math.log(whole)


CHECKS: Final = (OptionCut(),)
