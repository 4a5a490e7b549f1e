"""Sorting as people count: question 2 before question 10."""

import re

_NUMBER = re.compile(r"[0-9]+")


def natural_key(text: str) -> str:
    """Return a text that sorts, character by character, as `text` does with numbers by size.

    Each number gets the count of its digits before it, as two digits.
    """
    return _NUMBER.sub(lambda match: _sized(match[0]), text)


def _sized(digits: str) -> str:
    number = digits.lstrip("0") or "0"
    return f"{min(len(number), 99):02}{number}"
