"""Direct answer (DA): the one option letter that occurs anywhere in the answer."""

from functools import cache

from evaluation.scorers.base import Extraction, Reading, Scorer, settle


def extract(reading: Reading) -> Extraction:
    """The only valid Latin letter of the text; failing that, the only valid script letter.

    Source: TLUE algorithms 1 and 3, as published in its scorer. A letter counts as a character
    wherever it stands, inside words too; lower-case and full-width letters don't count.

    The README of the published scorer says that script letters are looked at only when no Latin
    letter was found; the scorer itself also looks at them when *several* Latin letters were
    found. This follows the scorer: `A or B: ཁ` is B.
    """
    latin, script = _distinct(reading.latin), _distinct(reading.script)
    return _decide(latin, script, reading.asked.letters.count)


def _distinct(letters: str) -> str:
    return "".join(sorted(set(letters))) if len(letters) > 1 else letters


@cache  # keys are subsets of six letters
def _decide(latin: str, script: str, option_count: int) -> Extraction:
    if len(latin) != 1 and len(script) == 1:
        return settle(script, option_count)
    return settle(latin or script, option_count)


SCORER = Scorer("direct", "1", extract, published_name="direct")
