"""Japanese: so far only what duplicates and pages need."""

from typing import Final

from languages.base import Language
from languages.zh import LANGUAGE as CHINESE

LANGUAGE: Final = Language(
    code="ja",
    script="Han",
    name="日本語",
    segmentation="character",
    sentence_marks=CHINESE.sentence_marks,
    duplicate_limits=CHINESE.duplicate_limits,
)
