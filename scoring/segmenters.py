"""Cuts texts into the tokens that BLEU counts, each language as papers do it.

Most languages have `13a` of sacrebleu, Chinese its `zh`, scripts without spaces its `char`. Tibetan
and Dzongkha are cut at tshegs, and Lao into the words of LaoNLP where it is installed.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

import regex
from babel.core import get_global

from languages.base import Language
from scoring.lao_words import lao_segmenter, lao_words

Tokenizer = Callable[[str], str]

SPACED, CHINESE, CHARACTERS = "13a", "zh", "char"
"""Tokenizers of sacrebleu, by the names that its signatures have."""
SYLLABLES: Final = "lotsawa-tsheg-2"
"""Ours; its version goes up whenever a text may be cut in another way."""
_SYLLABLES: Final = regex.compile(
    r"[\u0f40-\u0fbc][\u0f35\u0f37\u0f39\u0f40-\u0fbc]*"
    r"|[\w--[\u0f40-\u0fbc]][[\w\p{M}\u200c\u200d]--[\u0f40-\u0fbc]]*"
    r"|[^\s\w\u0f0b\u0f0c]",
    regex.VERSION1,
)
_BY_SCRIPT: Final = {
    **dict.fromkeys(("Hans", "Hant"), CHINESE),
    **dict.fromkeys(("Jpan", "Khmr", "Lana", "Mymr", "Tale", "Talu", "Thai"), CHARACTERS),
    "Tibt": SYLLABLES,
}
"""What a language without a file of its own is cut by; all other scripts have spaces."""


def segmenter_of(language: Language) -> str:
    """Return the name of what cuts texts for BLEU, with its version where it is not sacrebleu's.

    It depends on the language, and for Lao on whether LaoNLP is installed.
    """
    base = language.code.partition("-")[0]
    if base == "lo" and (found := lao_segmenter()):
        return found
    if base == "zh":
        return CHINESE
    if language.segmentation == "tsheg":
        return SYLLABLES
    if language.segmentation == "character":
        return CHARACTERS
    likely = get_global("likely_subtags").get(base, "").split("_")
    return _BY_SCRIPT.get(likely[1], SPACED) if len(likely) > 1 else SPACED


def tokens_of(text: str, language: Language) -> list[str]:
    """Return the tokens of a text; marks are tokens too.

    In Tibetan, signs that stand on a letter belong to its syllable.
    """
    segmenter = segmenter_of(language)
    if segmenter == SYLLABLES:
        return _SYLLABLES.findall(text)
    if segmenter == lao_segmenter():
        return lao_words(text)
    return _tokenizer(segmenter)(text.rstrip()).split()


@cache
def _tokenizer(name: str) -> Tokenizer:
    """Return a tokenizer of sacrebleu as its BLEU has it, which takes texts without spaces at their end."""
    from sacrebleu.metrics.bleu import BLEU

    tokenizer: Tokenizer = BLEU(tokenize=name).tokenizer
    return tokenizer
