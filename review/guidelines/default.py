"""The guideline that a project starts with, until its managers write their own."""

from collections.abc import Sequence

from projects.criteria import Criterion


def _(text: str) -> str:
    """Mark a text that `queries` translates."""
    return text


DEFAULT_TEXT = _("""\
# How to judge

First read the translation by itself, like somebody who never sees the source. Then read the source, and compare the question and each option with it.

- **Approve** when nothing needs to change: meaning, terms, numbers and the key are right, and the text reads as if a native speaker had written it.
- **Revise** when you can correct it. Change the question and the options in place; keep the number of options and which one is correct.
- **Reject** when no translation can make it a good item: the question depends on the source language itself, is not answerable, or its key is wrong.

Mark what was wrong with the error tags. In the comment, write what the next reader needs to know.
""")

NATIVE_TEXT = _("""\
# How to judge

Read the question first, then each option. The items were written in this language; there is no source to compare with.

- **Approve** when nothing needs to change: facts, terms, numbers and the key are right, and the text reads as if a native speaker had written it.
- **Revise** when you can correct it. Change the question and the options in place; keep the number of options and which one is correct.
- **Reject** when it cannot be made a good item: it is not answerable, or its key is wrong.

Mark what was wrong with the error tags. In the comment, write what the next reader needs to know.
""")


def first_text(*, is_monolingual: bool) -> str:
    """What a guideline says until its managers write another."""
    return NATIVE_TEXT if is_monolingual else DEFAULT_TEXT


def first_rubric(criteria: Sequence[Criterion]) -> dict[str, list[str]]:
    """What each rating means until a guideline says it otherwise, by the names of the criteria."""
    return {criterion.name: list(criterion.rubric) for criterion in criteria}
