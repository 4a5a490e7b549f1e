"""The names of the fields of a text, as findings and terms say where they stand."""

from typing import Final

FURTHER_FIELDS: Final = ("answer", "explanation")
"""The fields that a text may have beside its question and options, in this order."""
_OPTIONS: Final = tuple(f"options.{position}" for position in range(26))


def option_position(field: str) -> int | None:
    """Return which option a field is, counted from 0; None if it is none."""
    name, _dot, position = field.partition(".")
    return int(position) if name == "options" and position.isdecimal() else None


def option_field(position: int) -> str:
    """Return the name of an option's field, counted from 0."""
    return _OPTIONS[position] if position < len(_OPTIONS) else f"options.{position}"
