"""Forms of a round: what it is about, whom it asks and by which rules."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotation.items.forms import ItemFilterForm, ItemFilterInvalid, item_filter_from
from annotation.items.queries import ItemFilter
from annotation.items.uid_lists import ListUnreadable, decoded_uids, uids_of
from projects.criteria import HIGHEST
from projects.enums import JUDGES
from projects.models import Project
from projects.templatetags.languages import language_name
from review.eligibility import possible_substitutes
from review.enums import (
    OpinionsShown,
    RoundKind,
    Selection,
    VerdictRule,
)
from review.models.rounds import MOST_CONTROL_PERCENT
from review.report.queries import judged_rounds
from review.rounds.actions.running import LONGEST_REASON, RoundChanges
from review.rounds.actions.settings import RoundInvalid, RoundSettings
from review.rounds.previews import judging_people
from review.selection.item_choice import NO_FILTER


def item_filter_of(project: Project, values: Mapping[str, Any]) -> ItemFilter:
    """The filter of the item browser with these values. Raises RoundInvalid with what is wrong."""
    try:
        return item_filter_from(project, values)
    except ItemFilterInvalid as error:
        raise RoundInvalid(fields=error.fields) from error


class WhoAndWhenForm(forms.Form):
    """Whom a round asks and until when: what can still change while it is open."""

    due_on = forms.DateField(
        label=_("Due on"),
        required=False,
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
    )
    cap_per_person = forms.IntegerField(
        label=_("Maximum items per person"), required=False, min_value=1, max_value=10**8
    )
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        required=False,
        choices=[(role, role.label) for role in JUDGES],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Choose none to ask both."),
    )
    languages = forms.MultipleChoiceField(
        label=_("Only people who also read"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Everybody who judges reads the target language."),
    )
    excluded_people = forms.TypedMultipleChoiceField(
        label=_("People who are not asked"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    substitute = forms.TypedChoiceField(
        label=_("Substitute for the seniors"),
        coerce=int,
        empty_value=None,
        required=False,
        help_text=_(
            "Settles the disputes of the round that no senior may settle, because all of them judged "
            "or wrote the text. The round asks the substitute for no judgement."
        ),
    )
    has_blind_reading = forms.BooleanField(
        label=_("Reviewers read the translation alone first"),
        required=False,
        help_text=_(
            "The source and the key stay hidden until a reviewer asks for them with a shortcut or"
            " a button. The judgement keeps how long that took."
        ),
    )

    opinions_shown = forms.ChoiceField(
        label=_("Who sees the opinions of models"),
        choices=OpinionsShown.choices,
        initial=OpinionsShown.NOBODY,
        required=False,
        help_text=_(
            "What screening says of an item. A reviewer never sees it before the panel has its "
            "outcome, so that it sways no verdict."
        ),
    )

    def __init__(
        self, *args: Any, project: Project, kind: str = RoundKind.REVIEW, **kwargs: Any
    ) -> None:
        """`kind` is that of the open round; only a review can be read blind first."""
        super().__init__(*args, **kwargs)
        people = judging_people(project)
        codes = sorted({code for each in people for code in each.languages})
        if kind != RoundKind.REVIEW:
            del self.fields["has_blind_reading"]
            del self.fields["opinions_shown"]
        elif project.is_monolingual:
            self.fields["has_blind_reading"].label = _(
                "Reviewers read the text without the key first"
            )
            self.fields["has_blind_reading"].help_text = _(
                "The key stays hidden until a reviewer asks for it with a shortcut or a button. "
                "The judgement keeps how long that took."
            )
        _choose(self, "excluded_people", [(each.user, each.name) for each in people])
        members = [(each.pk, each.name or each.email) for each in possible_substitutes(project)]
        _choose(self, "substitute", [("", _("nobody yet")), *members])
        _choose(self, "languages", [(code, language_name(code)) for code in codes])

    def clean_opinions_shown(self) -> str:
        chosen: str = self.cleaned_data["opinions_shown"] or OpinionsShown.NOBODY
        return chosen

    def changes(self) -> RoundChanges:
        return RoundChanges(**self.cleaned_data)


class PauseForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=LONGEST_REASON,
        help_text=_("Reviewers read it when they ask for an item."),
    )


_KINDS = [
    (RoundKind.REVIEW, _("review the current text of each item")),
    (RoundKind.COMPARISON, _("compare the texts of all systems without their names")),
    (RoundKind.SOLVING, _("answer the items without seeing their keys")),
]


class OpenRoundForm(WhoAndWhenForm):
    """What a round is about, who judges it and by which rules; `groups` is how the page shows it."""

    selection = forms.ChoiceField(
        label=_("Which items"),
        initial=Selection.NOT_APPROVED,
        widget=forms.RadioSelect,
        help_text=_("Items in dispute, excluded or not translated are always left out."),
    )
    since_round = forms.TypedChoiceField(
        label=_("Texts changed since"), coerce=int, empty_value=None, required=False
    )
    uids = forms.CharField(
        label=_("List of uids"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=_("One uid on each line."),
    )
    uids_file = forms.FileField(
        label=_("Or a file with the list"),
        required=False,
        max_length=255,
        help_text=_("A text file in UTF-8 with one uid on each line."),
    )
    items_query = forms.CharField(required=False, max_length=2000, widget=forms.HiddenInput)
    sample_size = forms.IntegerField(
        label=_("Only a sample of these items"),
        required=False,
        min_value=1,
        max_value=10**8,
        widget=forms.NumberInput(attrs={"placeholder": " "}),
        help_text=_("How many to draw. Each subject gets its share. Leave empty for all of them."),
    )
    seed = forms.IntegerField(
        label=_("Seed of the sample"),
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        initial=0,
        help_text=_("The same seed draws the same items again."),
    )
    panel_size = forms.IntegerField(
        label=_("Judgements per item"), min_value=1, max_value=9, initial=2
    )
    verdict_rule = forms.ChoiceField(
        label=_("An item is decided when"),
        choices=[
            (VerdictRule.UNANIMOUS, _("all who judge it agree")),
            (VerdictRule.MAJORITY, _("more than half of them agree")),
        ],
        help_text=_("Otherwise it is a dispute, which a senior settles."),
    )
    score_gap = forms.IntegerField(
        label=_("Rating gap that opens a dispute"),
        min_value=1,
        max_value=HIGHEST,
        initial=2,
        help_text=_("Two people who rate the same item this far apart disagree."),
    )
    uncertain_seats = forms.IntegerField(
        label=_("Further judgements where people disagree"),
        min_value=0,
        max_value=3,
        initial=0,
        required=False,
        help_text=_(
            "Asked for one after the other, before a senior sees the dispute. They decide where "
            "more than half must agree; where all must agree they help the senior to decide."
        ),
    )
    is_same_panel_allowed = forms.TypedChoiceField(
        label=_("People who judged in the round before"),
        choices=[
            ("", _("may judge the same items only if there are too few others")),
            ("yes", _("may judge the same items again")),
            ("no", _("judge other items")),
        ],
        coerce=lambda value: value == "yes",
        empty_value=None,
        required=False,
        help_text=_(
            "In a round without keys, people who judged an item, decided on it or corrected its "
            "key get it only if they may judge it again. In a comparison nobody gets an item with "
            "a text that they wrote."
        ),
    )
    needs_expert = forms.BooleanField(
        label=_("One judgement of each item comes from an expert in its subject"),
        required=False,
        help_text=_(
            "Experts are members with subjects. Members without subjects take the other judgements."
        ),
    )
    reservation_minutes = forms.IntegerField(
        label=_("Minutes that an item is reserved"),
        min_value=1,
        max_value=1440,
        initial=30,
        help_text=_("An item that was taken and not judged is free again after this time."),
    )
    control_percent = forms.IntegerField(
        label=_("Control items per 100 items"),
        required=False,
        min_value=0,
        max_value=MOST_CONTROL_PERCENT,
        initial=0,
        help_text=_(
            "Approved items, half of them with a planted fault, are mixed in to see who notices. "
            "They do not count in the figures of the items. Reviewers cannot tell them apart, so "
            "they cannot browse the items while the round is open."
        ),
    )
    kind = forms.ChoiceField(
        label=_("What people do"),
        choices=_KINDS,
        initial=RoundKind.REVIEW,
        required=False,
        widget=forms.RadioSelect,
        help_text=_("Only reviews judge texts and count in the figures of review."),
    )
    is_unfinishable_allowed = forms.BooleanField(
        label=_("Open the round even if some items cannot get all their judgements"),
        required=False,
    )

    def __init__(
        self, *args: Any, project: Project, counts: Mapping[str, int], **kwargs: Any
    ) -> None:
        super().__init__(*args, project=project, **kwargs)
        self._project = project
        if project.is_monolingual:  # there is one text of each item
            _choose(self, "kind", [each for each in _KINDS if each[0] != RoundKind.COMPARISON])
        rounds = list(judged_rounds(project).order_by("-number").values_list("number", flat=True))
        _choose(self, "selection", _selection_choices(counts, is_any_judged=bool(rounds)))
        _choose(
            self,
            "since_round",
            [(number, _("round %(number)s") % {"number": number}) for number in rounds],
        )

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data["item_filter"] = NO_FILTER
        if data.get("selection") == Selection.FILTER:
            data["item_filter"] = self._item_filter(data.get("items_query", ""))
        file = data.pop("uids_file", None)
        data["uids"] = [*uids_of(data.get("uids", "")), *(self._uids_in(file) if file else [])]
        return data

    def settings(self) -> RoundSettings:
        """The settings that were typed, or those that the form proposes."""
        if not self.is_bound:
            return self._proposed()
        data: dict[str, Any] = dict(self.cleaned_data)
        for name in ("is_unfinishable_allowed", "items_query"):
            del data[name]
        return RoundSettings(
            **{
                **data,
                "selection": Selection(data["selection"]),
                "verdict_rule": VerdictRule(data["verdict_rule"]),
                "seed": data["seed"] or 0,
                "control_percent": data["control_percent"] or 0,
                "uncertain_seats": data["uncertain_seats"] or 0,
                "kind": RoundKind(data["kind"] or RoundKind.REVIEW),
            }
        )

    def chosen_filter(self) -> list[tuple[str, str]]:
        """Label and value in words of each filter of the items, as the item browser has them."""
        form = ItemFilterForm(QueryDict(self["items_query"].value() or ""), project=self._project)
        return [(label, value) for _name, label, value in form.chosen()] if form.is_valid() else []

    def _proposed(self) -> RoundSettings:
        selection = Selection(self["selection"].value())
        is_filter = selection == Selection.FILTER
        query = QueryDict(self["items_query"].value() or "").dict() if is_filter else {}
        return RoundSettings(selection=selection, item_filter=item_filter_of(self._project, query))

    def _item_filter(self, query: str) -> ItemFilter:
        try:
            return item_filter_of(self._project, QueryDict(query).dict())
        except RoundInvalid as error:
            for faults in error.fields.values():
                self.add_error("selection", faults)
        return NO_FILTER

    def _uids_in(self, file: Any) -> list[str]:
        try:
            return decoded_uids(file.read(), file.name)
        except ListUnreadable:
            self.add_error("uids_file", _("This is not a text file in UTF-8."))
        return []


def _choose(form: forms.Form, name: str, choices: list[tuple[Any, Any]]) -> None:
    field: forms.ChoiceField = form.fields[name]  # type: ignore[assignment]
    field.choices = choices


def _selection_choices(counts: Mapping[str, int], *, is_any_judged: bool) -> list[tuple[str, str]]:
    """The choices of the page, with how many items each takes where that is known."""
    counted = {
        Selection.NOT_APPROVED: counts["not_approved"],
        Selection.APPROVED: counts["approved"],
        Selection.FINDINGS: counts["findings"],
        Selection.ALL: counts["all"],
    }
    offered = [
        each
        for each in Selection
        if each != Selection.SAMPLE and (is_any_judged or each != Selection.CHANGED)
    ]
    return [
        (each, f"{each.label} – {intcomma(counted[each])}" if each in counted else str(each.label))
        for each in offered
    ]
