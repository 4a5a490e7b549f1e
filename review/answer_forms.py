"""Forms of comparisons, solving rounds and what follows: they read, the actions judge."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.items.queries import systems_of
from annotation.models import Item
from common.db import LARGEST_ID
from common.reasons import REASON_LENGTH
from languages.letters import letters_of
from projects.criteria import Criterion, names_of
from projects.models import Project, Subject
from review.actions.answers import MOST_TEXTS, AnswerContent, TextOpinion
from review.actions.choosing_jobs import WantedTexts
from review.actions.judgements import LONGEST_SECONDS, LONGEST_TEXT
from review.choices import compared_rounds
from review.models import Round
from review.text_choices import DISAGREE, ChoiceFilter

UNSURE = "unsure"


class AnswerForm(forms.Form):
    assignment = forms.IntegerField(min_value=1, max_value=LARGEST_ID)
    idempotency_key = forms.CharField(max_length=100)
    choice = forms.CharField(required=False, max_length=40)
    token = forms.CharField(required=False, max_length=40)
    comment = forms.CharField(required=False, max_length=LONGEST_TEXT)
    active_seconds = forms.IntegerField(required=False, min_value=0, max_value=LONGEST_SECONDS)

    def __init__(self, *args: Any, criteria: Sequence[Criterion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._names = names_of(criteria)

    def content(self, *, is_comparison: bool) -> AnswerContent:
        """What was given; of a solving round an empty choice is none, "unsure" an empty answer."""
        data = self.cleaned_data
        said: dict[str, Any] = {
            "comment": data["comment"].replace("\r\n", "\n"),
            "active_seconds": data["active_seconds"] or 0,
        }
        if is_comparison:
            return AnswerContent(token=data["token"], opinions=self._opinions(), **said)
        choice = data["choice"] or "?"  # no option has this letter
        return AnswerContent(choice="" if choice == UNSURE else choice, **said)

    def _opinions(self) -> dict[int, TextOpinion]:
        """What stands in the controls of each text, by its number; an untouched text has none."""
        found = {}
        for number in range(1, MOST_TEXTS + 1):
            if f"shown_{number}" not in self.data:
                break
            found[number] = self._opinion(number)
        return found

    def _opinion(self, number: int) -> TextOpinion:
        approve = self.data.get(f"approve_{number}", "")
        ratings = {name: self._number(f"{name}_{number}") for name in self._names}
        return TextOpinion(
            is_approved={"yes": True, "no": False}.get(approve),
            ratings={name: value for name, value in ratings.items() if value is not None},
            rank=self._number(f"rank_{number}"),
        )

    def _number(self, name: str) -> int | None:
        value = self.data.get(name, "")
        return int(value) if value.isdecimal() and value.isascii() and len(value) < 3 else None


class KeyRulingForm(forms.Form):
    """What a senior decides about a doubted key; the key that stands is a choice like the others."""

    key = forms.ChoiceField(label=_("The right key"), widget=forms.RadioSelect)
    seen_key = forms.CharField(max_length=40, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The experts who answered and later readers of the item see it."),
    )

    def __init__(self, *args: Any, item: Item, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seen_key"].initial = item.key
        field: Any = self.fields["key"]
        field.choices = [
            (letter, _("%(letter)s – the key stands") % {"letter": letter})
            if letter == item.key
            else (letter, letter)
            for letter in letters_of(len(item.options))
        ]


class ChooseSystemForm(forms.Form):
    """Which system's texts go on to the next round, and whether reviewed texts may give way."""

    what = forms.ChoiceField(label=_("Whose text goes on"), widget=forms.RadioSelect)
    is_reviewed_included = forms.BooleanField(
        label=_("Also replace texts that people have judged, decided on or corrected"),
        required=False,
        help_text=_("They stay in the history of the item, but are reviewed anew."),
    )

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["what"]
        field.choices = choices


class ChoiceFilterForm(forms.Form):
    """Which items to choose among; a comparison shows what its experts said of each text."""

    subject = forms.ModelChoiceField(
        Subject.objects.none(),
        label=_("Subject"),
        required=False,
        to_field_name="slug",
        empty_label=_("all"),
    )
    round = forms.ModelChoiceField(
        Round.objects.none(),
        label=_("Comparison"),
        required=False,
        to_field_name="number",
        empty_label=_("none"),
    )
    show = forms.ChoiceField(
        label=_("Texts"),
        required=False,
        choices=[("", _("all")), (DISAGREE, _("that differ from the one that goes on"))],
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        subjects: Any = self.fields["subject"]
        subjects.queryset = Subject.objects.filter(project=project).order_by("name", "pk")
        subjects.label_from_instance = str
        _offer_comparisons(self, project)

    def wanted(self) -> ChoiceFilter:
        """The filter of the fields that are valid."""
        self.is_valid()
        subject = self.cleaned_data.get("subject")
        return ChoiceFilter(
            subject=subject.slug if subject else "",
            round=self.cleaned_data.get("round"),
            show=self.cleaned_data.get("show", ""),
        )


class BestRankedForm(forms.Form):
    """Whose text each item of a comparison takes: the best-rated, and of several whose."""

    round = forms.ModelChoiceField(
        Round.objects.none(), label=_("Comparison"), to_field_name="number"
    )
    ties_to = forms.ChoiceField(
        label=_("Where several are equally good"), required=False, choices=[]
    )
    is_reviewed_included = forms.BooleanField(
        label=_("Also replace texts that people have judged, decided on or corrected"),
        required=False,
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **{"prefix": "best", **kwargs})
        names = systems_of(project)
        field: Any = self.fields["ties_to"]
        field.choices = [
            ("", _("keep the text that the item has")),
            *zip(names, names, strict=True),
        ]
        _offer_comparisons(self, project)

    def wanted(self) -> WantedTexts:
        """The choice that a valid form asks for."""
        return WantedTexts(
            best_of=self.cleaned_data["round"],
            ties_to=self.cleaned_data["ties_to"],
            is_reviewed_included=self.cleaned_data["is_reviewed_included"],
        )


def _offer_comparisons(form: forms.Form, project: Project) -> None:
    field: Any = form.fields["round"]
    field.queryset = compared_rounds(project)
    field.label_from_instance = lambda each: _("round %(number)s") % {"number": each.number}
