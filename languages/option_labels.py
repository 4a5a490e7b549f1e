"""Knows the labels that lists put before options: A, a, Ａ, 1, ༡, or the letters of a language (ཀ, ກ, А)."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from languages import LANGUAGES
from languages.letters import FULL_WIDTH, LETTERS

_BEFORE: Final = regex.compile(
    r"\s*[(（\[【༼]?(\p{L}|\p{Nd}{1,2})(?:[.．、)）\]】༽:：།]|་།)(?:\s+|(?!\d))(?=\S)"
)
_NAMED: Final = re.compile(r"(?:option|choice)[\s_-]*", re.IGNORECASE)


def labels_before(texts: Sequence[str]) -> list[str]:
    """Return the label before each text, with its mark; none unless they follow one another in all texts."""
    found = [match for text in texts if (match := _BEFORE.match(text))]
    if len(found) < max(len(texts), 2):
        return []
    places = _places([match[1] for match in found])
    is_list = places == list(range(places[0], places[0] + len(places))) if places else False
    return [match[0] for match in found] if is_list else []


def without_labels(texts: Sequence[str]) -> list[str]:
    """Return texts without the labels that `labels_before` finds."""
    labels = labels_before(texts) or [""] * len(texts)
    return [text.removeprefix(label) for text, label in zip(texts, labels, strict=True)]


def in_order_of_labels(labels: Sequence[str]) -> list[int] | None:
    """Return the places of labels in their own order, None unless they are the first of a list.

    B, A is [1, 0]; so are 2, 1 and `option_b`, `option_a`.
    """
    places = _places([_NAMED.sub("", label).strip(" .．、()（）:：") for label in labels])
    order = sorted(range(len(places)), key=places.__getitem__)
    first = places[order[0]] if places else -1
    is_list = [places[at] for at in order] == list(range(first, first + len(labels)))
    return order if first in (0, 1) and is_list else None


def _places(signs: Sequence[str]) -> list[int]:
    """Return the place of each sign in the first list that has all of them, none if no list has."""
    if all(sign.isdecimal() for sign in signs):
        return [int(sign) for sign in signs]
    for letters in _lists():
        places = [letters.find(sign) if len(sign) == 1 else -1 for sign in signs]
        if -1 not in places:
            return places
    return []


@cache
def _lists() -> list[str]:
    own = dict.fromkeys(language.option_letters for language in LANGUAGES.values())
    usual = (LETTERS, FULL_WIDTH, *filter(None, own))
    return [letters for each in usual for letters in (each, each.lower())]
