"""The form that starts the Min-k % test of a run."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.enums import TextSide
from endpoints.budgets import BudgetUnmeasured
from evaluation.contamination.actions import MOST_ITEMS, MOST_SEED, MinKSettings
from evaluation.models import MinKTest
from evaluation.runs.actions import MAX_CONCURRENCY

LONGEST_TEXTS = 100_000
"""What a form may send, with each letter in nine bytes; the command takes more."""


class MinKForm(forms.Form):
    control = forms.CharField(
        label=_("Release of controls"),
        max_length=160,
        required=False,
        help_text=_(
            "VERSION, or PROJECT:VERSION for a release of another project that you manage. Items of "
            "the run’s own release are left out."
        ),
    )
    texts = forms.CharField(
        label=_("Control texts"),
        max_length=LONGEST_TEXTS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_(
            "One a line, in the language of the items, as long as an item with its options. The model "
            "must not have been trained on them."
        ),
    )
    side = forms.ChoiceField(label=_("Texts of the items"), choices=TextSide.choices)
    most = forms.IntegerField(
        label=_("Items"),
        min_value=1,
        max_value=MOST_ITEMS,
        initial=1000,
        help_text=_("If the run has more, so many are drawn."),
    )
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=MOST_SEED, initial=0)
    budget = forms.DecimalField(
        label=_("Budget"),
        required=False,
        max_digits=12,
        decimal_places=4,
        help_text=_("US dollars. The test ends when it is spent."),
    )
    concurrency = forms.IntegerField(
        label=_("Concurrent requests"), min_value=1, max_value=MAX_CONCURRENCY, initial=8
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["side"].initial = TextSide.TARGET

    def settings(self) -> MinKSettings:
        names = ("side", "most", "seed", "budget", "concurrency")
        return MinKSettings(**{name: self.cleaned_data[name] for name in names})


def min_k_initial(test: MinKTest | None) -> dict[str, Any]:
    """Return the values with which a test goes on.

    Without its texts if they are too long, and without a budget that cannot be kept.
    """
    if test is None:
        return {}
    names = ("side", "most", "seed", "budget", "concurrency")
    control = f"{test.control.project.slug}:{test.control.version}" if test.control else ""
    given = test.texts.filter(placed=None).order_by("pair").values_list("text", flat=True)
    texts = "\n".join(given)
    return {
        "control": control,
        "texts": texts if len(texts) <= LONGEST_TEXTS else "",
        **{name: getattr(test, name) for name in names},
        **({"budget": None} if test.job.error_code == BudgetUnmeasured.code else {}),
    }
