"""Languages by code: one module a language, found by itself; see docs/adding-a-language.md.

Every module of this package that has a `LANGUAGE` is registered when the package is imported.
"""

import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Final

from languages.base import (
    Language,
    Statement,
)

_by_tag: dict[str, Language] = {}
_aliases: dict[str, str] = {}
LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(_by_tag)
"""Every language by its tag in lower case (`bo`, `zh-hant`)."""


def register(language: Language) -> None:
    """Make a language known; raises ValueError if its tag or an alias is taken."""
    tags = [_folded(tag) for tag in (language.code, *language.aliases)]
    taken = [tag for tag in tags if tag in _by_tag or tag in _aliases]
    if taken:
        raise ValueError(f"There already is a language {taken[0]!r}.")
    _by_tag[tags[0]] = language
    _aliases.update(dict.fromkeys(tags[1:], tags[0]))
    _forget()


def unregister(language: Language) -> None:
    """Undo `register`; raises KeyError for a language that is not known."""
    del _by_tag[_folded(language.code)]
    for tag in language.aliases:
        del _aliases[_folded(tag)]
    _forget()


@lru_cache(maxsize=256)
def get_language(code: str) -> Language:
    """Return the language of a tag (`bo`, `zh-Hant-TW`, `mn_MN`); never fails.

    A tag that is not known as a whole is shortened from the right. A tag that is not known at all
    is a language of script Zyyy without words, so that checks by words find nothing in it.
    """
    tag = _folded(code)
    while tag:
        tag = _aliases.get(tag, tag)
        if tag in _by_tag:
            return _by_tag[tag]
        tag = tag.rpartition("-")[0]
    return Language(code=code, script="Zyyy", name=code)


def is_known(code: str) -> bool:
    """Return whether there is a file for the language of a tag, or for one that it belongs to."""
    return get_language(code).script != "Zyyy"


@lru_cache(maxsize=1)
def all_statements() -> tuple[Statement, ...]:
    """Return how the languages state an answer, each way once; the same tuple every time."""
    found = (language.statement for language in _by_tag.values())
    return tuple(dict.fromkeys(statement for statement in found if statement))


def _folded(tag: str) -> str:
    return tag.strip().lower().replace("_", "-")


def _forget() -> None:
    get_language.cache_clear()
    all_statements.cache_clear()


def _discover() -> None:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        language = getattr(import_module(module.name), "LANGUAGE", None)
        if isinstance(language, Language):
            register(language)


_discover()
