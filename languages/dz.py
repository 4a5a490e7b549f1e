"""Dzongkha: so far what it shares with Tibetan: its script, and words for numbers and options."""

from typing import Final

from languages.base import Language
from languages.bo import LANGUAGE as TIBETAN

LANGUAGE: Final = Language(
    code="dz",
    script="Tibetan",
    name="རྫོང་ཁ",
    segmentation="tsheg",
    typography=TIBETAN.typography,
    digits=TIBETAN.digits,
    sentence_marks=TIBETAN.sentence_marks,
    number_words=TIBETAN.number_words,
    option_letters=TIBETAN.option_letters,
    option_ends=TIBETAN.option_ends,
    option_names=TIBETAN.option_names,
    whole_option_names=TIBETAN.whole_option_names,
    special_characters=TIBETAN.special_characters,
    word_endings=("འི", "འོ", "འམ", "འང", "ས", "ར"),
)
