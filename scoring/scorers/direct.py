"""Direct answer (DA): the only option letter that occurs anywhere in the answer."""

from functools import cache

from scoring.scorers.base import Extraction, Reading, Scorer, settle


def extract(reading: Reading) -> Extraction:
    """Return the only valid Latin letter of the text, or else the only valid script letter.

    Source: TLUE algorithms 1 and 3, as published in its scorer, which removes less reasoning before
    (see `answer_text`). Letters count wherever they occur,
    even inside words; lower-case and full-width letters don't count.

    According to the README of the published scorer, script letters matter only if there is no
    Latin letter. The scorer itself also uses them if there are *several* Latin letters. This
    function follows the scorer: `A or B: ཁ` is B.
    """
    latin, script = _distinct(reading.latin), _distinct(reading.script)
    return _decide(latin, script, reading.asked.letters.count)


def _distinct(letters: str) -> str:
    return "".join(sorted(set(letters))) if len(letters) > 1 else letters


@cache  # keys are subsets of ten letters
def _decide(latin: str, script: str, option_count: int) -> Extraction:
    if len(latin) != 1 and len(script) == 1:
        return settle(script, option_count)
    return settle(latin or script, option_count)


SCORER = Scorer("direct", "1", extract, published_name="direct", reads_letters=True)
