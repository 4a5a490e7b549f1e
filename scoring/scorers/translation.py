"""Translation: the whole response is the answer, to be compared with a reference by BLEU and chrF++.

Nothing is right or wrong here: what is kept of a response are the counts of `scoring.overlap`.
"""

from scoring.scorers.base import Extraction, Reading, Scorer


def extract(reading: Reading) -> Extraction:
    """Return the response without its reasoning and without spaces around it."""
    text = reading.text.strip()
    return Extraction(text) if text else Extraction(None, failure="no_answer")


SCORER = Scorer(
    "translation",
    "2",
    extract,
    published_name="translation",
    key_kind="translation",
    is_graded=False,
)
