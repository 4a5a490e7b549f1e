"""What a manager can choose as the texts of the next round, in words."""

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Translation
from projects.models import Project
from review.choosing.actions.choosing import Chosen
from review.enums import RoundKind, RoundState
from review.models import Round


def choice_options(project: Project) -> list[tuple[str, str]]:
    """The systems with the numbers of their items, then the comparisons that are closed."""
    rows = Translation.objects.filter(item__project=project).order_by().values_list("system")
    counts = sorted(rows.annotate(n=Count("pk")))
    systems = [
        (
            f"system:{system}",
            _("%(system)s – %(count)s items") % {"system": system, "count": intcomma(count)},
        )
        for system, count in counts
    ]
    best = [
        (
            f"round:{round_.number}",
            _("for each item the text that round %(number)s found best")
            % {"number": round_.number},
        )
        for round_ in compared_rounds(project)
    ]
    return [*systems, *best]


def compared_rounds(project: Project) -> QuerySet[Round]:
    """The closed comparisons with answers, the latest first."""
    rows = Round.objects.filter(project=project, kind=RoundKind.COMPARISON)
    return rows.filter(state=RoundState.CLOSED, answered_count__gt=0).order_by("-number")


def chosen_words(done: Chosen) -> list[str]:
    """What became of the items, one sentence for each number that is not zero."""
    words = [
        (done.changed, _("Items with another text now: %(count)s.")),
        (done.same, _("Items that had this text already: %(count)s.")),
        (done.reviewed, _("Items that keep a text people have worked on: %(count)s.")),
        (done.waiting, _("Items that are in an open round or dispute: %(count)s.")),
        (done.without, _("Items without such a text: %(count)s.")),
    ]
    said = [text % {"count": intcomma(count)} for count, text in words if count]
    return said or [_("No item matches this choice.")]


def given_back_words(count: int) -> str:
    """What an undone choice came to."""
    words = ngettext(
        "%(n)s item has its earlier text again.",
        "%(n)s items have their earlier texts again.",
        count,
    )
    return words % {"n": intcomma(count)}
