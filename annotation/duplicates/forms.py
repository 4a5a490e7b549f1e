"""The forms of the page of duplicates: methods, filters, decisions."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.duplicates.queries import PairFilter
from annotation.enums import PairKind, PairState, TextSide
from annotation.models import DuplicatePair, Item

ANY = ("", _("any"))
LEFT, RIGHT = "left", "right"


class SearchForm(forms.Form):
    methods = forms.MultipleChoiceField(
        label=_("Methods"),
        choices=[
            (
                PairKind.EXACT,
                _("exact: the same text, apart from spaces, punctuation and option order"),
            ),
            (PairKind.NEAR, _("near: a few words are different")),
            (PairKind.SEMANTIC, _("semantic: similar meaning, by the embedding model")),
        ],
        initial=[PairKind.EXACT, PairKind.NEAR, PairKind.SEMANTIC],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one method.")},
    )


class PairFilterForm(forms.Form):
    """The list's filters; a missing `state` means open, an unknown value is an error."""

    state = forms.ChoiceField(
        label=_("State"), choices=[*PairState.choices, ("all", _("any"))], required=False
    )
    key = forms.ChoiceField(
        label=_("Key"),
        choices=[ANY, ("different", _("different key")), ("same", _("same key"))],
        required=False,
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=[ANY, *PairKind.choices], required=False)
    side = forms.ChoiceField(label=_("Found in"), choices=[ANY, *TextSide.choices], required=False)
    splits = forms.ChoiceField(
        label=_("Splits"),
        choices=[ANY, ("across", _("dev and test")), ("within", _("same split"))],
        required=False,
    )

    def wanted(self) -> PairFilter:
        chosen = dict(self.cleaned_data)
        state = chosen.pop("state") or PairState.OPEN
        return PairFilter(state="" if state == "all" else state, **chosen)


class DecisionForm(forms.Form):
    """A choice of which item to drop, or neither; an empty reason becomes the usual one."""

    decision = forms.ChoiceField(choices=[(LEFT, LEFT), (RIGHT, RIGHT), (PairState.DISTINCT, "")])
    reason = forms.CharField(required=False)

    def decided(self, pair: DuplicatePair) -> dict[str, Any]:
        """Return the arguments `state`, `dropped` and `reason` of `decide_pair`."""
        choice, reason = self.cleaned_data["decision"], self.cleaned_data["reason"]
        if choice == PairState.DISTINCT:
            usual = gettext("Compared: different items.")
            return {"state": PairState.DISTINCT, "dropped": None, "reason": reason or usual}
        dropped, kept = (pair.a, pair.b) if choice == LEFT else (pair.b, pair.a)
        return _dropped(dropped, kept, reason)


class ReopenForm(forms.Form):
    reason = forms.CharField(required=False)

    def reason_or_usual(self) -> str:
        return self.cleaned_data["reason"] or gettext("Needs another look.")


def _dropped(dropped: Item, kept: Item, reason: str) -> dict[str, Any]:
    usual = gettext("Duplicate of %(uid)s.") % {"uid": kept.uid}
    return {"state": PairState.DUPLICATE, "dropped": dropped, "reason": reason or usual}
