"""The filters of the list of items, and saving them under a name."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.checks.catalogue.labels import KINDS
from annotation.checks.queries import title_of
from annotation.enums import ItemState, Severity, SplitName, TranslationState
from annotation.items.queries import (
    ANY_FINDING,
    NO_FINDING,
    UNTRANSLATED,
    ItemFilter,
    closed_rounds_of,
    systems_of,
)
from annotation.items.saved_filters import LONGEST_NAME
from common.errors import DomainError
from projects.models import Project, Subject

STATES = [
    ("", _("all")),
    *TranslationState.choices,
    (UNTRANSLATED, _("without translation")),
    (ItemState.EXCLUDED, ItemState.EXCLUDED.label),
]
FINDINGS = [
    ("", _("with or without")),
    (Severity.ERROR, _("with errors")),
    (Severity.WARNING, _("with warnings")),
    (ANY_FINDING, _("with any")),
    (NO_FINDING, _("without")),
]
LONGEST_TEXT = 1_000_000


class ItemFilterInvalid(DomainError):
    code = "item_filter_invalid"
    detail = _("This is not a filter of items: %(faults)s")
    status = 400


class ItemFilterForm(forms.Form):
    q = forms.CharField(label=_("Search"), required=False, max_length=200)
    subject = forms.ChoiceField(label=_("Subject"), required=False)
    category = forms.ChoiceField(label=_("Category"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False, choices=STATES)
    findings = forms.ChoiceField(label=_("Findings"), required=False, choices=FINDINGS)
    code = forms.ChoiceField(label=_("Check"), required=False)
    split = forms.ChoiceField(
        label=_("Split"), required=False, choices=[("", _("all")), *SplitName.choices]
    )
    system = forms.ChoiceField(label=_("System"), required=False)
    round = forms.ChoiceField(label=_("Closed round"), required=False)
    key = forms.CharField(label=_("Key"), required=False, max_length=40)
    length_from = forms.IntegerField(
        label=_("Characters, at least"), required=False, min_value=1, max_value=LONGEST_TEXT
    )
    length_to = forms.IntegerField(
        label=_("Characters, at most"), required=False, min_value=1, max_value=LONGEST_TEXT
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["q"].widget.attrs["type"] = "search"
        subjects = list(
            Subject.objects.filter(project=project)
            .order_by("name", "pk")
            .values_list("slug", "name", "category")
        )
        categories = sorted({category for _slug, _name, category in subjects if category})
        self._choose("subject", [(slug, name) for slug, name, _category in subjects])
        self._choose("category", [(name, name) for name in categories])
        self._choose("code", [(code, title_of(code)) for code in KINDS])
        self._offer("system", partial(systems_of, project))
        self._offer("round", partial(closed_rounds_of, project))

    def clean_length_to(self) -> int | None:
        shortest, longest = map(self.cleaned_data.get, ("length_from", "length_to"))
        if shortest and longest and longest < shortest:
            raise forms.ValidationError(_("This is less than the smallest number of characters."))
        return longest

    def wanted(self) -> ItemFilter:
        """Return the filter of the fields that are valid; the page says which are not."""
        return ItemFilter(**{name: str(value or "") for name, value in self.cleaned_data.items()})

    def chosen(self) -> list[tuple[str, str, str]]:
        """(name, label, value in words) of every filter that is set."""
        return [
            (name, str(self.fields[name].label), self._word(name, value))
            for name, value in self.cleaned_data.items()
            if value
        ]

    def _word(self, name: str, value: Any) -> str:
        field = self.fields[name]
        choices: Any = getattr(field, "choices", [])
        return str(dict(choices).get(value, value))

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        field: forms.ChoiceField = self.fields[name]  # type: ignore[assignment]
        field.choices = [("", _("all")), *choices]

    def _offer(self, name: str, read: Callable[[], Iterable[object]]) -> None:
        """Offer what `read` returns, which is asked for only if the field is shown or filled in."""

        @cache
        def choices() -> list[tuple[str, Any]]:
            return [("", _("all")), *((str(value), str(value)) for value in read())]

        field: forms.ChoiceField = self.fields[name]  # type: ignore[assignment]
        field.choices = choices


class SaveFilterForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    is_shared = forms.BooleanField(
        label=_("Share it with everyone who reads the items of this project"), required=False
    )


def item_filter_from(project: Project, values: Mapping[str, Any]) -> ItemFilter:
    """Return the filter with these values by name. Raises ItemFilterInvalid, which names each fault."""
    return valid_filter_form(project, values).wanted()


def valid_filter_form(project: Project, values: Mapping[str, Any]) -> ItemFilterForm:
    """Return the form of a filter that is known in every part. Raises ItemFilterInvalid."""
    form = ItemFilterForm(values, project=project)
    faults = [
        str(_("Unknown filter: %(name)s.")) % {"name": name}
        for name in sorted(set(values) - set(form.fields))
    ]
    for name, errors in form.errors.items():
        faults.extend(f"{form.fields[name].label}: {error}" for error in errors)
    if faults:
        raise ItemFilterInvalid(faults=" ".join(faults), fields={"item_filter": faults})
    return form
