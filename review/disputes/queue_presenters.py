"""The queue of disputes for templates: its filters and its order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from projects.models import Project
from review.disputes.labels import reason_name, verdicts_name
from review.disputes.queue import DAYS, ONLY, QueueCounts, QueueFilter


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter; `count` is how many disputes have it, None where nobody counted."""

    value: str
    label: str
    count: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class FilterField:
    name: str
    label: str
    everything: str
    choices: Sequence[Choice]


def queue_fields(
    project: Project, counts: QueueCounts, wanted: QueueFilter
) -> tuple[FilterField, ...]:
    """The filters of the queue with their counts; one without a choice is left out."""
    names = dict(project.subjects.values_list("slug", "name"))
    reasons = [(code, reason_name(code), count) for code, count in sorted(counts.reasons.items())]
    alone = [
        (ONLY + code, _reason_words(ONLY + code), count)
        for code, count in sorted(counts.only_reasons.items())
    ]
    gaps = [
        (gap, _("gap of %(gap)s") % {"gap": gap}, count)
        for gap, count in sorted(counts.gaps.items())
    ]
    verdicts = [
        (each, verdicts_name(each), count) for each, count in sorted(counts.verdicts.items())
    ]
    rounds = [
        (n, _("Round %(number)s") % {"number": n}, c) for n, c in sorted(counts.rounds.items())
    ]
    days = [(n, ngettext("%(n)s day", "%(n)s days", n) % {"n": n}, None) for n in DAYS]
    found: tuple[FilterField, ...] = (
        _field(wanted, "subject", _("Subject"), _("All subjects"), _named(counts.subjects, names)),
        _field(wanted, "reason", _("Reason"), _("All reasons"), [*reasons, *alone]),
        _field(wanted, "verdicts", _("Verdicts"), _("All verdicts"), verdicts),
        _field(wanted, "gap", _("Largest gap"), _("All gaps"), gaps),
        _field(wanted, "round", _("Round"), _("All rounds"), rounds),
        _field(wanted, "system", _("System"), _("All systems"), _named(counts.systems, {})),
        _field(wanted, "days", _("Waiting at least"), _("Any time"), days),
    )
    if counts.is_more:
        found = tuple(_uncounted(field) for field in found)
    return tuple(field for field in found if field.choices)


def _uncounted(field: FilterField) -> FilterField:
    """The field without numbers, which would be of the first disputes only."""
    return replace(field, choices=[replace(each, count=None) for each in field.choices])


def chosen_labels(project: Project, wanted: QueueFilter) -> list[str]:
    """What a filter asks for, in words."""
    subject = project.subjects.filter(slug=wanted.subject).first()
    words = [
        subject.name if subject else wanted.subject,
        _reason_words(wanted.reason),
        verdicts_name(wanted.verdicts),
        _("gap of %(gap)s") % {"gap": wanted.gap} if wanted.gap else "",
        _("Round %(number)s") % {"number": wanted.round} if wanted.round else "",
        wanted.system,
        _("waiting at least %(days)s days") % {"days": wanted.days} if wanted.days else "",
    ]
    return [each for each in words if each]


def sort_choices(wanted: QueueFilter) -> list[Choice]:
    names = {"": _("Worst first"), "oldest": _("Oldest first"), "uid": _("By item")}
    return [Choice(value, label, None, value == wanted.sort) for value, label in names.items()]


def _reason_words(reason: str) -> str:
    code = reason.removeprefix(ONLY)
    if not code:
        return ""
    name = reason_name(code)
    return name if code == reason else _("Only: %(reason)s") % {"reason": name}


def _named(counts: Mapping[str, int], names: Mapping[str, str]) -> list[tuple[str, str, int]]:
    return [(value, names.get(value, value), count) for value, count in sorted(counts.items())]


def _field(
    wanted: QueueFilter,
    name: str,
    label: str,
    everything: str,
    rows: Iterable[tuple[str | int, str, int | None]],
) -> FilterField:
    chosen = getattr(wanted, name)
    choices = [Choice(str(v), text, count, str(v) == chosen) for v, text, count in rows]
    return FilterField(name, label, everything, choices)
