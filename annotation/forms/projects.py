"""What managers type about a project and its people."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.enums import Role
from annotation.models import Project, Subject
from common.errors import DomainError


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


class ProjectForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("What the benchmark is and who it is for. Members see it on the overview."),
    )


class NewProjectForm(ProjectForm):
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=60,
        help_text=_("Letters, digits and hyphens; it stands in every address of the project."),
    )
    source_language = forms.CharField(
        label=_("Source language"), max_length=20, help_text=_("A code such as zh or en.")
    )
    target_language = forms.CharField(
        label=_("Target language"), max_length=20, help_text=_("A code such as bo, lo or zh-Hant.")
    )
    field_order = ("name", "slug", "source_language", "target_language", "description")


class MemberForm(forms.Form):
    role = forms.ChoiceField(
        label=_("Role"),
        choices=Role.choices,
        initial=Role.REVIEWER,
        widget=forms.RadioSelect,
        help_text=_(
            "Managers run the project, seniors settle disputes and judge, reviewers judge, "
            "viewers read the figures."
        ),
    )
    languages = LanguagesField(
        label=_("Languages"),
        required=False,
        max_length=200,
        help_text=_(
            "Codes with commas between them, such as bo, zh. Empty means the project's; who does "
            "not read the target language is offered nothing to judge."
        ),
    )
    subjects = forms.MultipleChoiceField(
        label=_("Subjects of expertise"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None chosen means all."),
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
        help_text=_("They can change it when they come in."),
    )
    field_order = ("email", "name", "role", "languages", "subjects")


def show_refusal(form: forms.Form, error: DomainError) -> None:
    """Put the words of a refusal where they belong in the form."""
    for name, messages in error.fields.items():
        form.add_error(name if name in form.fields else None, messages)
    if not error.fields:
        form.add_error(None, str(error))
