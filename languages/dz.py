"""Dzongkha: so far what it shares with Tibetan, its script."""

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
    special_characters=TIBETAN.special_characters,
    word_endings=("འི", "འོ", "འམ", "འང", "ས", "ར"),
)
