"""What managers type about a project and its people."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from accounts.audit import AuditFilter, audit_verbs
from accounts.enums import AccountState, SignInOutcome
from accounts.queries import AccountFilter, SignInFilter
from common.errors import DomainError
from common.months import Month, parse_month
from projects.categories import CategoriesUnreadable
from projects.criteria import DEFAULT_CRITERIA
from projects.criteria_forms import CriteriaForm, translated
from projects.enums import PayUnit, Role
from projects.models import (
    LONGEST_PRINTED,
    LONGEST_REMINDER,
    LONGEST_UNDO,
    MOST_ITEMS_AHEAD,
    Project,
    Subject,
)

LONGEST_CATEGORIES = 1_000_000
"""Bytes of a file of categories, which has a line for each subject."""


class LanguagesField(forms.CharField):
    """Language codes with commas or spaces between them; cleans to a list."""

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        if isinstance(value, list):
            return value
        return str(super().to_python(value) or "").replace(",", " ").split()

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def run_validators(self, value: Any) -> None:
        super().run_validators(" ".join(value))


class MonthField(forms.CharField):
    """A month such as 2026-11; cleans to a Month, or None where it is empty."""

    default_error_messages = {"month": _("Write a month such as 2026-11.")}

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateInput(attrs={"type": "month", "placeholder": "2026-11"})
        super().__init__(max_length=7, widget=widget, **kwargs)

    def clean(self, value: Any) -> Month | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            return parse_month(text)
        except ValueError as error:
            raise forms.ValidationError(self.error_messages["month"]) from error


class ProjectForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("What the benchmark is and who it is for. Members see it on the overview."),
    )


class ProjectSettingsForm(ProjectForm):
    items_ahead = forms.IntegerField(
        label=_("Items reserved ahead"),
        min_value=0,
        max_value=MOST_ITEMS_AHEAD,
        help_text=_(
            "How many items each reviewer's device keeps beside the one on the screen. With more, "
            "people on slow or unreliable connections can keep working for longer; with fewer, "
            "the last items of a round are shared out more evenly."
        ),
    )
    undo_minutes = forms.IntegerField(
        label=_("Minutes to undo a judgement"),
        min_value=0,
        max_value=LONGEST_UNDO,
        help_text=_(
            "How long reviewers can take a judgement back. Once everybody has judged the item, it "
            "counts at once."
        ),
    )
    reminder_days = forms.IntegerField(
        label=_("Days to remind before a round is due"),
        min_value=0,
        max_value=LONGEST_REMINDER,
        help_text=_(
            "People with work left are notified once, this many days before a round is due. "
            "0 turns reminders off."
        ),
    )
    guards_hidden_items = forms.BooleanField(
        label=_("Runs send hidden items only to allowed endpoints"),
        required=False,
        help_text=_(
            "A hidden item that a public model has seen is no longer hidden. Managers allow an "
            "endpoint on the page Machine translation. Translation and screening jobs always keep "
            "hidden items from other endpoints."
        ),
    )


class NewProjectForm(ProjectForm, CriteriaForm):
    """A project with its criteria, which begin as those that every project has."""

    slug = forms.SlugField(
        label=_("Short name"),
        max_length=60,
        help_text=_("Letters, digits and hyphens. It appears in every address of the project."),
    )
    source_language = forms.CharField(
        label=_("Source language"), max_length=20, help_text=_("A code such as zh or en.")
    )
    target_language = forms.CharField(
        label=_("Target language"),
        max_length=20,
        help_text=_(
            "A code such as bo, lo or zh-Hant. Repeat the source language for items that were "
            "written in it and are not translated."
        ),
    )
    field_order = ("name", "slug", "source_language", "target_language", "description")

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, criteria=translated(DEFAULT_CRITERIA))

    @property
    def project_fields(self) -> list[BoundField]:
        return [self[name] for name in self.field_order]

    def project(self) -> dict[str, Any]:
        """What `create_project` takes of the form."""
        words = {name: self.cleaned_data[name] for name in self.base_fields}
        return words | {"criteria": self.chosen()}


class MemberForm(forms.Form):
    role = forms.ChoiceField(
        label=_("Role"),
        choices=Role.choices,
        initial=Role.REVIEWER,
        widget=forms.RadioSelect,
        help_text=_(
            "Managers run the project, seniors settle disputes and judge, reviewers judge, "
            "viewers read the figures, evaluators also start runs."
        ),
    )
    languages = LanguagesField(
        label=_("Languages"),
        required=False,
        max_length=200,
        help_text=_(
            "Language codes separated by commas, such as bo, zh. Leave it empty for the "
            "project's languages. People who do not read the target language get nothing to"
            " judge."
        ),
    )
    subjects = forms.MultipleChoiceField(
        label=_("Subjects of expertise"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Choose none for all subjects."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = Subject.objects.filter(project=project).order_by("name", "pk")
        self._subject_of = {subject.slug: subject for subject in rows}
        field: Any = self.fields["subjects"]
        field.choices = [(slug, subject.name) for slug, subject in self._subject_of.items()]
        if not field.choices:
            del self.fields["subjects"]

    def clean(self) -> dict[str, Any]:
        """Turn the chosen slugs into the project's subjects."""
        found = super().clean() or {}
        found["subjects"] = [self._subject_of[slug] for slug in found.get("subjects", [])]
        return found


class InviteForm(MemberForm):
    email = forms.EmailField(label=_("E-mail"), max_length=254)
    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        required=False,
        help_text=_("They can change it when they sign in."),
    )
    field_order = ("email", "name", "role", "languages", "subjects")


class BulkInviteForm(MemberForm):
    people = forms.CharField(
        label=_("People"),
        max_length=40_000,
        widget=forms.Textarea(
            attrs={"rows": 10, "placeholder": "dolma@example.org\nTashi <tashi@example.org>"}
        ),
        help_text=_("One e-mail address per line, with a name before it if you like. At most 200."),
    )
    field_order = ("people", "role", "languages", "subjects")


class PayRateForm(forms.Form):
    hourly = forms.DecimalField(label=_("Per hour"), min_value=0, max_digits=12, decimal_places=2)
    currency = forms.CharField(
        label=_("Currency"),
        max_length=3,
        help_text=_("A code of three capital letters, such as CNY or EUR."),
    )
    month = MonthField(
        label=_("From the month"),
        help_text=_("The rate applies to the whole month. Closed statements do not change."),
    )
    is_for_others = forms.BooleanField(
        label=_("Also for all other reviewers and seniors who have no rate in that month"),
        required=False,
    )


class SourceForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    revision = forms.CharField(
        label=_("Version"),
        max_length=100,
        required=False,
        help_text=_("The version, tag or commit that the file was taken from."),
    )
    url = forms.URLField(
        label=_("Address"),
        max_length=200,
        required=False,
        assume_scheme="https",
        help_text=_("Where others can find it, for example https://github.com/haonan-li/CMMLU."),
    )
    licence = forms.CharField(
        label=_("Licence"),
        max_length=100,
        required=False,
        help_text=_("As the source names it, for example CC BY-NC-SA 4.0."),
    )
    attribution = forms.CharField(
        label=_("Attribution"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The names that the licence asks you to give. Every release prints them."),
    )


class CategoriesFileForm(forms.Form):
    file = forms.FileField(
        label=_("CSV file"),
        help_text=_("With the columns subject, category, dimension and level."),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )

    def text(self) -> str:
        """Return the text of the file. Raises CategoriesUnreadable."""
        if not self.is_valid() or self.cleaned_data["file"].size > LONGEST_CATEGORIES:
            raise CategoriesUnreadable
        try:
            text: str = self.cleaned_data["file"].read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CategoriesUnreadable from error
        return text


class AuditFilterForm(forms.Form):
    actor = forms.EmailField(label=_("Person"), required=False, max_length=254)
    verb = forms.ChoiceField(label=_("What happened"), required=False)
    since = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=_("To"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, *args: Any, scope: AuditFilter, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._scope = scope
        self.fields["actor"].widget.attrs["placeholder"] = _("e-mail address")
        field: Any = self.fields["verb"]
        field.choices = [("", _("anything")), *audit_verbs().items()]

    def wanted(self) -> AuditFilter:
        """The filter of the fields that are valid, within the scope; both days are included."""
        found = self.cleaned_data
        until = found.get("until")
        return AuditFilter(
            project=self._scope.project,
            actor=found.get("actor", ""),
            verb=found.get("verb", ""),
            since=_start_of(found.get("since")),
            until=_start_of(until + timedelta(days=1)) if until else None,
        )


class AccountFilterForm(forms.Form):
    q = forms.CharField(label=_("Search"), required=False, max_length=200)
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("any")), *AccountState.choices]
    )
    administrators = forms.BooleanField(label=_("Only administrators"), required=False)

    def wanted(self) -> AccountFilter:
        found = self.cleaned_data
        return AccountFilter(
            query=found["q"], state=found["state"], is_administrator=found["administrators"]
        )


class SignInFilterForm(forms.Form):
    account = forms.EmailField(label=_("Account"), required=False, max_length=254)
    outcome = forms.ChoiceField(
        label=_("Result"), required=False, choices=[("", _("any")), *SignInOutcome.choices]
    )
    since = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=_("To"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["account"].widget.attrs["placeholder"] = _("e-mail address")

    def wanted(self) -> SignInFilter:
        """The filter of the fields that are valid; both days are included."""
        found = self.cleaned_data
        until = found.get("until")
        return SignInFilter(
            account=found.get("account", ""),
            outcome=found.get("outcome", ""),
            since=_start_of(found.get("since")),
            until=_start_of(until + timedelta(days=1)) if until else None,
        )


def _start_of(day: date | None) -> datetime | None:
    return datetime.combine(day, time.min, UTC) if day else None


def show_refusal(form: forms.Form, error: DomainError) -> None:
    """Put the words of a refusal where they belong in the form."""
    for name, messages in error.fields.items():
        form.add_error(name if name in form.fields else None, messages)
    if not error.fields:
        form.add_error(None, str(error))


class ContributorForm(forms.Form):
    is_named = forms.BooleanField(
        label=_("Name me as a contributor in releases of this project"), required=False
    )
    name = forms.CharField(
        label=_("Your name as it is to be printed"),
        required=False,
        max_length=LONGEST_PRINTED,
        help_text=_("Everyone who reads a release can see it."),
    )


class OfferForm(forms.Form):
    about = forms.CharField(
        label=_("What the work is"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("A few sentences for somebody who has never heard of the project."),
    )
    language = forms.ChoiceField(
        label=_("Language of this text"),
        required=False,
        choices=[("", _("not stated")), *settings.LANGUAGES],
        help_text=_("People who have not chosen a language get the e-mail in it too."),
    )
    items = forms.IntegerField(
        label=_("Items per person"), required=False, min_value=1, max_value=10**6
    )
    minutes = forms.IntegerField(
        label=_("Minutes per item"), required=False, min_value=1, max_value=600
    )
    pay = forms.DecimalField(
        label=_("Pay"), required=False, min_value=0, max_digits=12, decimal_places=2
    )
    currency = forms.CharField(
        label=_("Currency"),
        required=False,
        max_length=3,
        help_text=_("A code of three capital letters, such as CNY or EUR."),
    )
    unit = forms.ChoiceField(label=_("The pay is"), choices=PayUnit.choices)
