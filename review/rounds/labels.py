"""Labels for the people, dates and shortages of a round, in the user's language."""

from collections.abc import Mapping
from datetime import date, timedelta

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from review.enums import RoundKind
from review.rounds.previews import Person, RoundPreview
from review.rounds.staffing import Shortage, ShortageCode

MOST_DAYS = 36_500


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
            "For %(count)s of %(items)s items, too few people are left who wrote none of the "
            "texts. Ask for fewer judgements per item, or invite others."
        )
    return _(
        "For %(count)s of %(items)s items, too few people are left who neither wrote the text "
        "nor judged it in the round before. Let the same people judge again, or invite others."
    )


def _shortage_pattern(code: ShortageCode) -> str:
    return {
        ShortageCode.TOO_FEW_PEOPLE: _(
            "Judgements per item: %(size)s. People who may judge: %(judges)s. Choose fewer "
            "judgements per item, or invite reviewers."
        ),
        ShortageCode.EXPERTISE: _(
            "%(count)s of %(items)s items are in subjects with fewer than %(size)s experts: "
            "%(subjects)s. Add these subjects to members, or invite experts."
        ),
        ShortageCode.NO_EXPERT: _(
            "%(count)s of %(items)s items are in subjects without an expert: %(subjects)s. Add "
            "these subjects to members, invite experts, or do not ask for an expert."
        ),
        ShortageCode.CAP: _(
            "%(count)s judgements cannot be assigned, because everybody would have reached the "
            "limit for one person. Raise the limit, or invite reviewers."
        ),
        ShortageCode.EXPERT_CAP: _(
            "%(count)s items would have no expert, because every expert would have reached the "
            "limit for one person. Raise the limit, add subjects to members, or invite experts."
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
        return _("No item matches this choice.")
    if not preview.forecast.workload:
        return ""
    values = {"each": intcomma(preview.forecast.workload)}
    share = _("The busiest person judges at least %(each)s items.") % values
    if preview.days is None or preview.pace is None:
        unknown = _("No pace is known yet: nobody has judged anything in this project.")
        return f"{share} {unknown}"
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


def senior_text(preview: RoundPreview) -> str:
    """Says that a dispute may come up that no senior can settle; empty if one always can."""
    if not preview.may_leave_no_senior:
        return ""
    if not preview.seniors:
        return _(
            "This project has no active senior, so nobody can settle the disputes of this round. "
            "Invite a senior, or name a substitute for this round."
        )
    return _(
        "Every senior is asked to judge in this round: %(names)s. Nobody may settle a dispute that "
        "they judged. Ask reviewers only, invite another senior, or name a substitute for this round."
    ) % {"names": ", ".join(person.name for person in preview.seniors)}


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
