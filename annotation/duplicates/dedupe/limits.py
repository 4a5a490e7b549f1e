"""Limits from which texts are alike: of each language, and of a model of the user's choice."""

from languages import get_language
from languages.base import DuplicateLimits

# Least cosine for a model that the user chose; models differ, so it asks for much.
MODEL_THRESHOLD = 0.9


def limits_for(language: str) -> DuplicateLimits:
    """Return the limits of a language tag; the default where the language is not known."""
    return get_language(language).duplicate_limits
