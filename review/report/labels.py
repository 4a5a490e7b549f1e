"""Labels for the stages of a report and what they rest on, in the user's language."""

from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from review.enums import Purpose, VerdictRule
from review.report.rows import RoundSetup, StageName


def stage_name(name: StageName) -> str:
    """The name of a stage as papers print it: Initial, 1st Alignment, 2nd Alignment, Audit."""
    values = {"ordinal": ordinal(name.number), "number": name.number, "part": name.part}
    if name.purpose == Purpose.INITIAL:
        stage = _("Initial")
    elif name.purpose == Purpose.ALIGNMENT:
        stage = _("%(ordinal)s Alignment") % values
    else:
        stage = _("Audit") if name.number == 1 else _("%(ordinal)s Audit") % values
    part = _("part %(part)s") % values
    return stage if name.part == 1 else f"{stage}, {part}"


def setup_text(setup: RoundSetup) -> str:
    """The settings of a round that its figures depend on, in a few words."""
    return _("%(judges)s, gap %(gap)s") % {
        "judges": judges_text(setup.panel_size, setup.verdict_rule),
        "gap": setup.score_gap,
    }


def judges_text(size: int, rule: str) -> str:
    """How many judge an item, and when they agree."""
    words = ngettext("%(size)s judgement, %(rule)s", "%(size)s judgements, %(rule)s", size)
    return words % {"size": size, "rule": VerdictRule(rule).label}
