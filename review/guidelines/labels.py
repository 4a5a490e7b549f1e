"""Labels for criteria and their levels, in the user's language."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from projects.criteria import Criterion


def criterion_label(criterion: Criterion) -> str:
    return _(criterion.label)


def levels_of(
    criterion: Criterion, rubric: Mapping[str, Sequence[str]]
) -> tuple[list[tuple[int, str]], str]:
    """What a guideline says of each rating; or of none, and one text about all of them."""
    texts = rubric.get(criterion.name, ())
    if len(texts) not in (1, len(criterion.scale)):  # written for earlier criteria
        texts = criterion.rubric
    if len(texts) == 1:
        return [(rating, "") for rating in criterion.scale], texts[0]
    return list(zip(criterion.scale, texts, strict=True)), ""
