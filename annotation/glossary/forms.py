"""Forms about terms; the actions judge what is typed."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.enums import PartOfSpeech, ProposalState
from annotation.glossary.matching import KINDS
from annotation.glossary.queries import TermFilter, domains_of, values_of
from annotation.glossary.term_values import LONGEST_DOMAIN, LONGEST_NOTE, LONGEST_TERM, TermValues
from annotation.models import Term, TermProposal
from common.reasons import REASON_LENGTH
from projects.models import Project

PARTS = [("", _("not given")), *PartOfSpeech.choices]
MOST_LINES = 25 * LONGEST_TERM


class RenderingsField(forms.CharField):
    """Several texts, one a line."""

    def __init__(self, *, label: Any, help_text: Any = "") -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=False,
            max_length=MOST_LINES,
            widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        )

    def clean(self, value: Any) -> tuple[str, ...]:
        return tuple(super().clean(value).splitlines())


class TermForm(forms.Form):
    """A term; the texts are marked with their languages."""

    source = forms.CharField(label=_("Term in the source language"), max_length=LONGEST_TERM)
    preferred = RenderingsField(label=_("Preferred renderings"), help_text=_("One per line."))
    allowed = RenderingsField(
        label=_("Allowed renderings"), help_text=_("Also correct. The checks do not report them.")
    )
    forbidden = RenderingsField(
        label=_("Forbidden renderings"), help_text=_("Reported where the term is in the source.")
    )
    part_of_speech = forms.ChoiceField(label=_("Part of speech"), required=False, choices=PARTS)
    domain = forms.CharField(
        label=_("Domain"),
        required=False,
        max_length=LONGEST_DOMAIN,
        help_text=_("A field of knowledge, where a word has several meanings."),
    )
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    seen = forms.DateTimeField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["source"].widget.attrs["lang"] = project.source_language
        for kind in KINDS:
            self.fields[kind].widget.attrs["lang"] = project.target_language

    def values(self) -> TermValues:
        names = TermValues.__dataclass_fields__
        return TermValues(**{name: self.cleaned_data[name] for name in names})


class ProposalForm(TermForm):
    """A term that somebody proposes, with the item where they met it."""

    comment = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    term = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)
    item = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)


class DecisionForm(TermForm):
    """The decision on a proposal, with the values that it is accepted with."""

    ACCEPT, DECLINE = "accept", "decline"
    decision = forms.ChoiceField(choices=[(ACCEPT, ACCEPT), (DECLINE, DECLINE)])
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=REASON_LENGTH,
        help_text=_("The person who proposed the term sees it. You need a reason to decline."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class TermFilterForm(forms.Form):
    q = forms.CharField(label=_("Search"), required=False, max_length=LONGEST_TERM)
    part_of_speech = forms.ChoiceField(
        label=_("Part of speech"), required=False, choices=[("", _("all")), *PartOfSpeech.choices]
    )
    domain = forms.ChoiceField(label=_("Domain"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        domain: forms.ChoiceField = self.fields["domain"]  # type: ignore[assignment]
        domain.choices = [("", _("all")), *((name, name) for name in domains_of(project))]

    def wanted(self) -> TermFilter:
        """Return the filter of the fields that are valid."""
        return TermFilter(**{name: str(value) for name, value in self.cleaned_data.items()})


class ProposalFilterForm(forms.Form):
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("all")), *ProposalState.choices]
    )


def initial_of(term: Term | TermProposal) -> dict[str, Any]:
    """Return what a form about a term begins with."""
    values = values_of(term)
    initial: dict[str, Any] = {
        name: "\n".join(value) if isinstance(value := getattr(values, name), tuple) else value
        for name in TermValues.__dataclass_fields__
    }
    if isinstance(term, Term):
        initial["seen"] = term.changed_at.isoformat()
    return initial
