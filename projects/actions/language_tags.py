"""Language tags as people type them, in their one usual form."""

import re
from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from languages.tags import canonical_tag

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


class LanguageInvalid(DomainError):
    code = "language_invalid"
    detail = _("“%(language)s” is not a language code. Write one like bo, zh or zh-Hant.")
    status = 400


def language_tags(languages: Sequence[str]) -> list[str]:
    """Each language once, in the usual form of its tag; raises LanguageInvalid."""
    return list(dict.fromkeys(map(language_tag, languages)))


def language_tag(language: str) -> str:
    if len(language) > 20 or not LANGUAGE_TAG.fullmatch(language):
        raise LanguageInvalid(language=language)
    return canonical_tag(language)
