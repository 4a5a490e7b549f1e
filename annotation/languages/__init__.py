"""Languages by code, each a module of data; unknown codes get a plain default."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from annotation.languages import bo, en, lo, mn, zh, zh_hant
from annotation.languages.base import Language

__all__ = ["LANGUAGES", "Language", "get_language"]

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(
    {module.LANGUAGE.code: module.LANGUAGE for module in (bo, en, lo, mn, zh, zh_hant)}
)
_ALIASES: Final = {"zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant"}


@lru_cache(maxsize=256)
def get_language(code: str) -> Language:
    """Return the data of a language tag (`bo`, `zh-Hant-TW`, `mn_MN`); never fails.

    A tag that is not known as a whole is shortened from the right; what is not known at all is
    a language of script Zyyy without words, so that checks by words find nothing in it.
    """
    tag = code.strip().lower().replace("_", "-")
    tag = _ALIASES.get(tag, tag)
    while tag:
        if tag in LANGUAGES:
            return LANGUAGES[tag]
        tag = tag.rpartition("-")[0]
    return Language(code=code, script="Zyyy")
