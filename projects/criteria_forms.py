"""The form of a project's criteria: a group of fields for each that there can be."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from projects.actions.criteria import LONGEST_LABEL, LONGEST_NAME, LONGEST_SHORT_LABEL
from projects.criteria import HIGHEST, MOST_CRITERIA, Criterion

FIELDS = ("label", "short_label", "name", "lowest", "highest", "rubric")


class CriteriaForm(forms.Form):
    """`label_1`, `short_label_1` … of up to MOST_CRITERIA criteria; those without any words are none."""

    def __init__(self, data: Any = None, *, criteria: Sequence[Criterion]) -> None:
        initial = {
            f"{field}_{number}": value
            for number, each in enumerate(criteria, start=1)
            for field, value in _texts(each).items()
        }
        super().__init__(data, initial=initial)
        self.criteria = criteria
        for number in range(1, MOST_CRITERIA + 1):
            self.fields.update({f"{name}_{number}": each for name, each in _fields().items()})

    @property
    def groups(self) -> list[tuple[int, list[BoundField]]]:
        """The fields of each criterion, with its number."""
        return [
            (number, [self[f"{name}_{number}"] for name in FIELDS])
            for number in range(1, MOST_CRITERIA + 1)
        ]

    @property
    def has_criteria_faults(self) -> bool:
        """Whether a group has an error, or all of them together."""
        fields = [field for _number, fields in self.groups for field in fields]
        return bool(self.non_field_errors()) or any(field.errors for field in fields)

    def rows(self) -> list[dict[str, Any]]:
        """What `criteria_from` takes: the groups with any words, in order."""
        rows = [self._row(number) for number in self._numbers()]
        return [
            row | {"rubric": [line for line in row["rubric"].splitlines() if line.strip()]}
            for row in rows
        ]

    def chosen(self) -> list[dict[str, Any]] | None:
        """The rows, or None where they are still those that the page showed, or none were sent."""
        rows = self.rows()
        is_as_shown = rows == [_row_of(each) for each in self.criteria]
        return None if is_as_shown or "label_1" not in self.data else rows

    def show_faults(self, faults: dict[str, list[str]]) -> None:
        """Say beside the fields what the action found: "criteria.0.name" is of the first group."""
        numbers = self._numbers()
        for path, words in faults.items():
            _criteria, *rest = path.split(".")
            field = f"{rest[1]}_{numbers[int(rest[0])]}" if rest else None
            self.add_error(field, words)

    def _numbers(self) -> list[int]:
        return [
            number
            for number in range(1, MOST_CRITERIA + 1)
            if any(self.cleaned_data[f"{name}_{number}"] for name in ("label", "name", "rubric"))
        ]

    def _row(self, number: int) -> dict[str, Any]:
        row = {name: self.cleaned_data[f"{name}_{number}"] for name in FIELDS}
        defaults = {"lowest": 0, "highest": 5}
        return row | {
            name: row[name] if row[name] is not None else n for name, n in defaults.items()
        }


def _fields() -> dict[str, forms.Field]:
    return {
        "label": forms.CharField(label=_("Name"), required=False, max_length=LONGEST_LABEL),
        "short_label": forms.CharField(
            label=_("Heading in tables"), required=False, max_length=LONGEST_SHORT_LABEL
        ),
        "name": forms.CharField(
            label=_("Short name"),
            required=False,
            max_length=LONGEST_NAME,
            help_text=_("Small letters. It names the column in exports and the field of the API."),
        ),
        "lowest": forms.IntegerField(
            label=_("Lowest rating"), required=False, min_value=0, max_value=HIGHEST
        ),
        "highest": forms.IntegerField(
            label=_("Highest rating"), required=False, min_value=0, max_value=HIGHEST
        ),
        "rubric": forms.CharField(
            label=_("What the ratings mean"),
            required=False,
            max_length=10_000,
            widget=forms.Textarea(attrs={"rows": 6}),
            help_text=_("One line for each rating, the lowest first, or one line about all."),
        ),
    }


def _texts(criterion: Criterion) -> dict[str, Any]:
    return _row_of(criterion) | {"rubric": "\n".join(criterion.rubric)}


def _row_of(criterion: Criterion) -> dict[str, Any]:
    row = {name: getattr(criterion, name) for name in FIELDS}
    return row | {"rubric": list(criterion.rubric)}


def translated(criteria: Sequence[Criterion]) -> list[Criterion]:
    """The criteria in the words of the reader's language, where the catalogue has them."""
    return [
        replace(
            each,
            label=gettext(each.label),
            short_label=gettext(each.short_label),
            rubric=tuple(map(gettext, each.rubric)),
        )
        for each in criteria
    ]
