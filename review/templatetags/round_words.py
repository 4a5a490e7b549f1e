"""What a round is called by what people do in it: its work, and how much of that is done."""

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from review.enums import RoundKind
from review.rounds.queries import RoundProgress

register = template.Library()

_WORK = {
    RoundKind.REVIEW: gettext_lazy("Judge items"),
    RoundKind.COMPARISON: gettext_lazy("Compare texts"),
    RoundKind.SOLVING: gettext_lazy("Solve items"),
}


@register.filter
def work(kind: str) -> str:
    """What the round asks people to do, for a button: "Solve items"."""
    return str(_WORK[RoundKind(kind)])


@register.filter
def counted(progress: RoundProgress, kind: str) -> str:
    """How much of the round is there: "12 of 40 judgements"."""
    numbers = {"done": intcomma(progress.seats_judged), "seats": intcomma(progress.seats)}
    if kind == RoundKind.REVIEW:
        return _("%(done)s of %(seats)s judgements") % numbers
    return _("%(done)s of %(seats)s answers") % numbers
