"""The form that says which texts to repair; the page, the API and the command read it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.checks.catalogue.labels import KINDS
from annotation.checks.queries import systems_of, title_of
from common.db import LARGEST_ID
from projects.models import Project, Subject
from review.repairs.planning import RepairFilter


class RepairForm(forms.Form):
    """A check, and perhaps a subject and a system; `after` is where a further preview begins."""

    code = forms.ChoiceField(label=_("Check"))
    subject = forms.ChoiceField(label=_("Subject"), required=False)
    system = forms.ChoiceField(label=_("Translation"), required=False)
    after = forms.IntegerField(
        required=False, min_value=0, max_value=LARGEST_ID, widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        subjects = Subject.objects.filter(project=project).order_by("name", "pk")
        systems = systems_of(project)
        self._choose("code", sorted(((code, title_of(code)) for code in KINDS), key=lambda c: c[1]))
        self._choose("subject", [("", _("all")), *subjects.values_list("slug", "name")])
        self._choose("system", [("", _("under review")), *zip(systems, systems, strict=True)])

    def wanted(self) -> RepairFilter:
        """The texts that a valid form names."""
        said = self.cleaned_data
        return RepairFilter(
            code=said["code"],
            subject=said["subject"],
            system=said["system"],
            after=said["after"] or 0,
        )

    def _choose(self, name: str, choices: list[tuple[Any, Any]]) -> None:
        field: Any = self.fields[name]
        field.choices = choices
