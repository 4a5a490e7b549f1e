"""One item's text on one side, as the duplicate search compares it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotation.duplicates.dedupe.normalise import normalise, normalise_keeping_case
from languages.letters import plain_letter, position_of


@dataclass(frozen=True, slots=True)
class ItemText:
    """An item on one side: `key` is the letter of the right option, or the answer itself.

    `options` is empty where the published text could not be split; `question` then holds it all.
    """

    id: int
    question: str
    options: tuple[str, ...] = ()
    key: str = ""


def comparison_text(item: ItemText) -> str:
    """Join question and options, normalised and sorted: another order is the same text."""
    return join_parts(normalise(item.question), sorted(map(normalise, item.options)))


def join_parts(question: str, options: Sequence[str]) -> str:
    """Join normalised texts; the bar keeps n-grams of one option out of the next."""
    return " | ".join([question, *options])


def key_text(item: ItemText) -> str:
    """Return what the key stands for: the option's text for a letter within the options, else the key."""
    position = position_of(plain_letter(item.key), len(item.options))
    return item.key.strip() if position is None else item.options[position]


def same_key(a: ItemText, b: ItemText) -> bool:
    """Return whether both items take the same answer for right, by its text and not by its letter.

    Case is folded unless an item has options that differ by case alone.
    """
    fold = normalise if may_fold_case([a, b]) else normalise_keeping_case
    return comparable_key(a, fold) == comparable_key(b, fold)


def may_fold_case(items: Sequence[ItemText]) -> bool:
    """Return whether no item has options that differ by case alone."""
    return all(_options_told_apart(item.options) for item in items)


def _options_told_apart(options: Sequence[str]) -> bool:
    folded = len({normalise(option) for option in options})
    return folded == len(options) or folded == len(
        {normalise_keeping_case(option) for option in options}
    )


def comparable_key(item: ItemText, fold: Callable[[str], str]) -> str:
    """Return what the key stands for, folded, but as it is where folding leaves nothing."""
    text = key_text(item)
    return fold(text) or text.strip()
