"""The question and each option of an item beside its translation, as every page shows them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.utils.translation import gettext as _

from annotation.checks.presenters import ShownFinding
from annotation.diffs import Segment
from annotation.enums import ItemKind
from annotation.models import Item, Revision
from languages.letters import letter_of

QUESTION_LABEL = "Q"
ANSWER = "answer"
EXPLANATION = "explanation"
FOLDED_FROM = 200


class Texts(Protocol):
    """An item, a revision or a correction: its question, its options, and what may come with them."""

    @property
    def question(self) -> str: ...
    @property
    def options(self) -> Sequence[str]: ...
    @property
    def answer(self) -> str | None: ...
    @property
    def explanation(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class TextRow:
    """The question or an option: source beside translation.

    `diff` is what changed since the revision before; `edited_text` is what somebody typed into a
    form that was refused, None where nothing was typed. `is_fixed` is of a number, which is the
    same in every language and is corrected as a key.
    """

    label: str
    field: str
    source_text: str
    target_text: str
    is_key: bool
    findings: Sequence[ShownFinding]
    diff: Sequence[Segment] = ()
    edited_text: str | None = None
    is_fixed: bool = False

    @property
    def is_further(self) -> bool:
        """True of an answer or explanation, which tells the key."""
        return self.field in {"key", ANSWER, EXPLANATION}

    @property
    def is_long(self) -> bool:
        """True where a phone shows only the beginning at first."""
        longest = max(len(self.source_text), len(self.target_text))
        return self.field == EXPLANATION and longest > FOLDED_FROM

    @property
    def fold(self) -> str:
        """A further class of a text of which a phone shows the beginning first."""
        return " folded" if self.is_long else ""

    @property
    def input_name(self) -> str:
        """The name of the form field that corrects this text."""
        return self.field.replace("options.", "option_")


def text_rows(
    item: Item,
    revision: Revision | None,
    findings: Sequence[ShownFinding],
    *,
    option_count: int | None = None,
) -> list[TextRow]:
    """Return the rows of a text; findings on the whole item stand at the question.

    There are as many options as the longer of the two texts has, or `option_count`. Where the
    published options could not be told apart, the whole text stands in the question. The reference
    answer and the explanation follow where the item or its text has one.
    """
    by_field: dict[str, list[ShownFinding]] = defaultdict(list)
    for finding in sorted(findings, key=lambda finding: finding.field == "item"):
        by_field["question" if finding.field == "item" else finding.field].append(finding)
    target = list(revision.options) if revision else []
    count = max(len(item.options), len(target)) if option_count is None else option_count
    question = TextRow(
        label=QUESTION_LABEL,
        field="question",
        source_text=item.question,
        target_text=revision.question if revision else "",
        is_key=False,
        findings=by_field["question"],
    )
    options = [
        TextRow(
            label=letter_of(n),
            field=f"options.{n}",
            source_text=_nth(item.options, n),
            target_text=_nth(target, n),
            is_key=item.key == letter_of(n),
            findings=by_field[f"options.{n}"],
        )
        for n in range(count)
    ]
    further = [
        TextRow(
            label=label_of(field),
            field=field,
            source_text=text_in(item, field),
            target_text=text_in(revision, field) if revision else "",
            is_key=False,
            findings=by_field[field],
        )
        for field in further_fields(item, revision)
    ]
    return [question, *options, *_number(item), *further]


def further_fields(item: Item, text: Texts | None) -> list[str]:
    """Return which of answer and explanation the item or its text has."""
    return [
        field
        for field in (ANSWER, EXPLANATION)
        if text_in(item, field)
        or (text and text_in(text, field))
        or (field == ANSWER and item.kind == ItemKind.TRANSLATION)
    ]


def text_in(text: Texts, field: str) -> str:
    """Return the text of a field, '' where it has none."""
    name, _dot, position = field.partition(".")
    if name == "options":
        return _nth(text.options, int(position))
    return getattr(text, name) or ""


def label_of(field: str) -> str:
    """Return what stands before a text: Q, the letter of an option, or a word."""
    name, _dot, position = field.partition(".")
    words = {ANSWER: _("Answer"), EXPLANATION: _("Explanation")}
    return letter_of(int(position)) if name == "options" else words.get(name, QUESTION_LABEL)


def _number(item: Item) -> Iterator[TextRow]:
    """Yield the number that answers the item, beside itself."""
    if item.kind == ItemKind.NUMBER:
        yield TextRow(
            label=label_of(ANSWER),
            field="key",
            source_text=item.key,
            target_text=item.key,
            is_key=True,
            findings=(),
            is_fixed=True,
        )


def _nth(texts: Sequence[str], n: int) -> str:
    return texts[n] if n < len(texts) else ""
