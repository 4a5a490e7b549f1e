"""Labels for stages, criteria, undefined statistics and reasons of disputes, in the user's language."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from django.contrib.humanize.templatetags.humanize import intcomma, ordinal
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.items.text_rows import label_of
from projects.criteria import Criterion, criterion_of
from review.agreement import NoInterval, Undefined
from review.enums import ErrorTag, Purpose, RoundKind, VerdictRule
from review.figures import LEAST_ITEMS
from review.practice import Fault
from review.previews import Person, RoundPreview
from review.report_formats import Words
from review.report_rows import RoundSetup, StageName
from review.staffing import Shortage, ShortageCode

MOST_DAYS = 36_500
# Letters that neither the verdicts, the criteria nor the page's other keys use.
TAG_KEYS = {
    ErrorTag.ACCURACY: "I",
    ErrorTag.TERMINOLOGY: "N",
    ErrorTag.GRAMMAR: "X",
    ErrorTag.REGISTER: "L",
    ErrorTag.CULTURE: "H",
    ErrorTag.STRUCTURE: "B",
    ErrorTag.WRONG_KEY: "K",
    ErrorTag.NOT_ANSWERABLE: "Q",
    ErrorTag.DUPLICATE: "P",
}


class ReasonText(NamedTuple):
    """A reason why a panel is in dispute, for people; `is_strong` marks the most important."""

    text: str
    is_strong: bool


class RatingField(NamedTuple):
    """One criterion as a form shows it; `levels` pairs each rating with what it means.

    `about` is one text about all ratings, where the single ones have none.
    """

    name: str
    title: str
    shortcut: str
    levels: Sequence[tuple[int, str]]
    about: str
    chosen: int | None
    lowest: int
    highest: int


def stage_name(name: StageName) -> str:
    """The name of a stage as papers print it: Initial, 1st Alignment, 2nd Alignment, Audit."""
    values = {"ordinal": ordinal(name.number), "number": name.number, "part": name.part}
    if name.purpose == Purpose.INITIAL:
        stage = _("Initial")
    elif name.purpose == Purpose.ALIGNMENT:
        stage = _("%(ordinal)s Alignment") % values
    else:
        stage = _("Audit") if name.number == 1 else _("%(ordinal)s Audit") % values
    return stage if name.part == 1 else f"{stage}, {_('part %(part)s') % values}"


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


def n_text(items: int) -> str:
    """The number of items as the title of a table gives it."""
    return ngettext("n = %(items)s item", "n = %(items)s items", items) % {"items": items}


def duration_text(seconds: int) -> str:
    """A span of working time, to the minute."""
    hours, minutes = divmod((seconds + 30) // 60, 60)
    if hours:
        return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes}
    return _("%(minutes)s min") % {"minutes": minutes}


def criterion_label(criterion: Criterion) -> str:
    return _(criterion.label)


def short_label(criterion: Criterion) -> str:
    """The label as the heading of a column."""
    return _(criterion.short_label)


def rating_fields(
    criteria: Sequence[Criterion], rubric: Mapping[str, Sequence[str]], values: Mapping[str, Any]
) -> list[RatingField]:
    """The fields of a judgement's ratings: what each rating means and which one is chosen."""
    return [rating_field(each, each.name, rubric, values.get(each.name)) for each in criteria]


def typed_rating(text: str) -> int | None:
    """What was typed or chosen for a rating, to show it again; None where that is no number."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) == 1 else None


def rating_field(
    criterion: Criterion, name: str, rubric: Mapping[str, Sequence[str]], chosen: int | None
) -> RatingField:
    """The field of one rating, called `name` in its form."""
    levels, about = levels_of(criterion, rubric)
    return RatingField(
        name=name,
        title=criterion_label(criterion),
        shortcut=criterion.shortcut,
        levels=levels,
        about=about,
        chosen=chosen,
        lowest=criterion.lowest,
        highest=criterion.highest,
    )


def levels_of(
    criterion: Criterion, rubric: Mapping[str, Sequence[str]]
) -> tuple[list[tuple[int, str]], str]:
    """What a guideline says of each rating; or of none, and one text about all of them."""
    texts = rubric.get(criterion.name, ())
    if len(texts) not in (1, len(criterion.scale)):  # written for earlier criteria
        texts = criterion.rubric
    if len(texts) == 1:
        return [(rating, "") for rating in criterion.scale], texts[0]
    return list(zip(criterion.scale, texts, strict=True)), ""


def tag_fields() -> list[tuple[str, str, str]]:
    """Each error tag with its label and the key of the workbench that sets it."""
    return [(tag.value, str(tag.label), TAG_KEYS[tag]) for tag in ErrorTag]


def practice_text(fault: Fault) -> str:
    """What somebody who knows says of a practice item with this fault."""
    return {
        Fault.NONE: _(
            "The translation says what the source says, and the key is right: Approve. "
            "Approve a text that is correct and reads well, even if you would word it "
            "differently."
        ),
        Fault.SWAPPED: _(
            "Two options have changed places, so the key points to the wrong text. You can "
            "correct this: Revise, correct the options in place, and mark it as structure."
        ),
        Fault.WRONG_KEY: _(
            "The translation is good, but another option is marked as the key. A new translation "
            "cannot correct that: Reject, and mark “wrong key”. A senior looks at it."
        ),
    }[fault]


def undefined_text(reason: Undefined) -> str:
    return {
        Undefined.NO_ITEMS: _("no items yet"),
        Undefined.NOTHING_TO_COMPARE: _("not defined: no item has enough judgements"),
        Undefined.TOO_FEW_ITEMS: _("too few items (fewer than %(least)s)") % {"least": LEAST_ITEMS},
        Undefined.NO_VARIATION: _("not defined: everyone gave the same answer"),
    }[reason]


def no_interval_text(reason: NoInterval) -> str:
    return {
        NoInterval.TOO_LITTLE_DISAGREEMENT: _("not enough disagreement to tell"),
        NoInterval.ALL_THE_SAME: _("no interval: the same for all items"),
    }[reason]


def missing_words() -> Words:
    """Why tables have no value or no interval somewhere."""
    return Words(
        undefined={reason: undefined_text(reason) for reason in Undefined},
        no_interval={reason: no_interval_text(reason) for reason in NoInterval},
        left_out=_("n = %(used)d, %(left_out)d left out"),
    )


def shortage_text(shortage: Shortage, preview: RoundPreview, subjects: Mapping[int, str]) -> str:
    """Why a round could not be finished, and what to change."""
    values = {
        "count": shortage.count,
        "items": preview.forecast.items,
        "size": preview.forecast.panel_size,
        "judges": preview.forecast.judges,
        "subjects": ", ".join(subjects.get(pk, "") for pk in shortage.subjects),
    }
    is_own_work = shortage.code == ShortageCode.OWN_WORK
    pattern = _own_work_pattern(preview.kind) if is_own_work else _shortage_pattern(shortage.code)
    return str(pattern % values)


def _own_work_pattern(kind: RoundKind) -> str:
    if kind == RoundKind.SOLVING:
        return _(
            "For %(count)s of %(items)s items, too few people are left who have not seen the key. "
            "Whoever judged an item, decided on it or corrected its key has seen it. Let the same "
            "people judge again, or invite others."
        )
    if kind == RoundKind.COMPARISON:
        return _(
            "For %(count)s of %(items)s items, too few people are left who wrote none of the texts. "
            "Ask for fewer judgements for each item, or invite others."
        )
    return _(
        "For %(count)s of %(items)s items, too few people are left who neither wrote the text "
        "nor judged it in the round before. Let the same people judge again, or invite others."
    )


def _shortage_pattern(code: ShortageCode) -> str:
    return {
        ShortageCode.TOO_FEW_PEOPLE: _(
            "Judgements for each item: %(size)s. People who may judge: %(judges)s. Choose fewer "
            "judgements for each item, or invite reviewers."
        ),
        ShortageCode.EXPERTISE: _(
            "%(count)s of %(items)s items are in subjects with fewer than %(size)s experts: "
            "%(subjects)s. Add these subjects to members, or invite experts."
        ),
        ShortageCode.NO_EXPERT: _(
            "%(count)s of %(items)s items are in subjects without an expert: %(subjects)s. Add "
            "these subjects to members, invite experts, or ask for no expert."
        ),
        ShortageCode.CAP: _(
            "%(count)s judgements are left over when everyone has judged as much as they may. "
            "Raise the limit for one person, or invite reviewers."
        ),
        ShortageCode.EXPERT_CAP: _(
            "%(count)s items are without an expert when every expert has judged as much as they "
            "may. Raise the limit for one person, add subjects to members, or invite experts."
        ),
    }[code]


def person_status(person: Person) -> str:
    """Why someone may not judge now; empty if they may."""
    if not person.is_active:
        return _("The account is not active")
    if person.is_paused:
        return _("Paused")
    if not person.reads_language:
        return _("Does not read the target language")
    return "" if person.is_asked else _("Not asked in this round")


def timing_text(preview: RoundPreview, today: date) -> str:
    """How long the round takes, as far as anybody can tell before it begins."""
    if not preview.forecast.items:
        return _("No item fits this choice.")
    if not preview.forecast.workload:
        return ""
    values = {"each": intcomma(preview.forecast.workload)}
    share = _("The busiest person judges at least %(each)s items.") % values
    if preview.days is None or preview.pace is None:
        return f"{share} {_('No pace is known yet: nobody has judged anything in this project.')}"
    words = ngettext(
        "At the pace of the last rounds, %(pace)s judgements by one person on one day, this takes "
        "at least %(days)s day, until %(until)s if work begins today.",
        "At the pace of the last rounds, %(pace)s judgements by one person on one day, this takes "
        "at least %(days)s days, until %(until)s if work begins today.",
        preview.days,
    )
    until = date_format(finished_on(preview, today))
    pace = {"pace": round(preview.pace), "days": intcomma(preview.days), "until": until}
    return f"{share} {words % pace}"


def late_text(preview: RoundPreview, today: date, due_on: date | None) -> str:
    """Says that a round can't be finished in time; empty if it can or nobody knows."""
    if due_on is None or preview.days is None or finished_on(preview, today) <= due_on:
        return ""
    return _(
        "At the pace of the last rounds this cannot be finished by the due date. Choose fewer "
        "items, a later date, or invite reviewers."
    )


def left_out_text(kind: str, count: int) -> str:
    """Says how many of the chosen items a round cannot ask about; empty where there are none."""
    if not count:
        return ""
    if kind == RoundKind.COMPARISON:
        words = ngettext(
            "%(count)s of the chosen items is left out: it has the text of one system only.",
            "%(count)s of the chosen items are left out: they have the text of one system only.",
            count,
        )
    else:
        words = ngettext(
            "%(count)s of the chosen items is left out: it has no options to choose from, or no "
            "key.",
            "%(count)s of the chosen items are left out: they have no options to choose from, or "
            "no key.",
            count,
        )
    return words % {"count": intcomma(count)}


def finished_on(preview: RoundPreview, today: date) -> date:
    """The last day of work, counting today; only where the pace is known."""
    return today + timedelta(days=min((preview.days or 1) - 1, MOST_DAYS))


def reason_text(reason: Mapping[str, Any], criteria: Sequence[Criterion]) -> ReasonText:
    """Say one stored reason of a panel."""
    code = reason["code"]
    if code == "verdict_split":
        return ReasonText(_("The verdicts are split"), is_strong=True)
    if code == "score_gap":
        text = _("%(name)s from %(low)s to %(high)s")
        name = criterion_label(criterion_of(criteria, reason["criterion"]))
        return ReasonText(text % {**reason, "name": name}, is_strong=False)
    if code == "different_corrections":
        fields = [field_label(field) for field in reason["fields"]]
        text = ngettext(
            "Different corrections for %(fields)s",
            "Different corrections for %(fields)s",
            len(fields),
        )
        return ReasonText(text % {"fields": ", ".join(fields)}, is_strong=False)
    if code == "key_challenged":
        return ReasonText(_("A reviewer says the key is wrong"), is_strong=True)
    if code == "experts_disagree":
        text = _("%(against)s of %(answers)s experts chose another answer than the key")
        return ReasonText(text % reason, is_strong=True)
    causes = ", ".join(_cause(cause) for cause in reason["causes"])
    return ReasonText(_("Flagged: %(causes)s") % {"causes": causes}, is_strong=True)


def reason_name(code: str) -> str:
    """A reason as a choice of a filter."""
    return {
        "verdict_split": _("Split verdicts"),
        "score_gap": _("Ratings far apart"),
        "different_corrections": _("Different corrections"),
        "key_challenged": _("Key challenged"),
        "flagged": _("Flagged"),
        "experts_disagree": _("Experts disagree with the key"),
    }[code]


def verdicts_name(letters: str) -> str:
    """The verdicts of a panel as a choice of a filter: "2 approve, 1 revise" for AAE."""
    words = {
        "A": _("%(count)s approve"),
        "E": _("%(count)s revise"),
        "R": _("%(count)s reject"),
    }
    found = [words[each] % {"count": letters.count(each)} for each in words if each in letters]
    return ", ".join(found)


def refusal_name(code: str) -> str:
    """Why a dispute was left out when many were settled."""
    return {
        "dispute_settled": _("Left out, somebody else settled them"),
        "errors_open": _("Left out, open errors in the text"),
        "revision_stale": _("Left out, the text changed"),
        "own_judgement": _("Left out, you judged or wrote them"),
        "key_in_dispute": _("Left out, the dispute is about the key"),
    }.get(code, _("Left out"))


def field_label(field: str) -> str:
    """Q for the question, the letter for an option, a word for the rest."""
    return label_of(field)


def _cause(cause: str) -> str:
    if cause == "open_errors":
        return _("the checks found errors in the text")
    return str(ErrorTag(cause).label)
