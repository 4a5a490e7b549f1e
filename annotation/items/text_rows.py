"""The question and each option of an item beside its translation, as every page shows them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.checks.presenters import ShownFinding
from annotation.diffs import Segment
from annotation.models import Item, Revision
from languages.letters import letter_of

QUESTION_LABEL = "Q"


@dataclass(frozen=True, slots=True)
class TextRow:
    """The question or an option: source beside translation.

    `diff` is what changed since the revision before; `edited_text` is what somebody typed into a
    form that was refused, None where nothing was typed.
    """

    label: str
    field: str
    source_text: str
    target_text: str
    is_key: bool
    findings: Sequence[ShownFinding]
    diff: Sequence[Segment] = ()
    edited_text: str | None = None

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
    published options could not be told apart, the whole text stands in the question.
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
    return [question, *options]


def _nth(texts: Sequence[str], n: int) -> str:
    return texts[n] if n < len(texts) else ""
