"""Forms of the choice of texts: they read what was typed, the actions judge it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.items.queries import systems_of
from projects.models import Project, Subject
from review.choosing.actions.jobs import WantedTexts
from review.choosing.choices import compared_rounds
from review.choosing.text_choices import DISAGREE, ChoiceFilter
from review.models import Round


class ChooseSystemForm(forms.Form):
    """Which system's texts go on to the next round, and whether reviewed texts may give way."""

    what = forms.ChoiceField(label=_("Whose text to use"), widget=forms.RadioSelect)
    is_reviewed_included = forms.BooleanField(
        label=_("Also replace texts that people have judged, decided on or corrected"),
        required=False,
        help_text=_("They stay in the history of the item. Reviewers judge the new texts again."),
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
        choices=[("", _("all")), (DISAGREE, _("that differ from the text in use"))],
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
