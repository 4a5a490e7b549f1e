"""What a manager chooses for a round that is to be opened, and what is wrong with it by field."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.items.queries import ItemFilter, systems_of
from common.errors import DomainError
from projects.criteria import widest_span
from projects.enums import JUDGES
from projects.models import Project
from review.audience import Audience
from review.eligibility import possible_substitutes
from review.enums import (
    OpinionsShown,
    RoundKind,
    Selection,
    VerdictRule,
)
from review.models import (
    Round,
)
from review.selection.controls import known_good_items
from review.selection.item_choice import (
    NO_FILTER,
    ItemChoice,
    Unusable,
    latest_judged_round,
    unusable_lines,
)

LONGEST_LIST = 50_000


LINES_TOLD = 20


ELSEWHERE = {
    "uids",
    "item_filter",
    "since_round",
    "roles",
    "languages",
    "excluded_people",
    "needs_expert",
    "substitute",
}


_LINE_WORDS = {
    "unknown": _("Line %(line)s: there is no item %(uid)s in this project."),
    "excluded": _("Line %(line)s: item %(uid)s is excluded. Restore it, or remove this line."),
    "untranslated": _("Line %(line)s: item %(uid)s has no translation yet. Remove this line."),
    "disputed": _("Line %(line)s: item %(uid)s is in an open dispute. Settle it first."),
}


class OtherSystems(DomainError):
    code = "other_systems"
    detail = _(
        "A comparison shows the texts of all systems of this project: %(known)s. Name all of them, "
        "or leave out --systems and choose --kind comparison."
    )
    status = 400


class RoundInvalid(DomainError):
    code = "round_invalid"
    detail = _("Some settings of the round are not valid.")
    status = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSettings:
    """What a manager chooses for a round; see `Round`, `ItemChoice` and `Audience` for the meaning of each.

    The round asks `substitute` for no judgement.

    `is_same_panel_allowed` None means: only where too few other people may judge.
    """

    panel_size: int = 2
    uncertain_seats: int = 0
    selection: Selection = Selection.NOT_APPROVED
    sample_size: int | None = None
    seed: int = 0
    uids: Sequence[str] = ()
    item_filter: ItemFilter = NO_FILTER
    since_round: int | None = None
    verdict_rule: VerdictRule = VerdictRule.UNANIMOUS
    score_gap: int = 2
    reservation_minutes: int = 30
    cap_per_person: int | None = None
    due_on: date | None = None
    is_same_panel_allowed: bool | None = None
    roles: Sequence[str] = ()
    languages: Sequence[str] = ()
    excluded_people: Sequence[int] = ()
    needs_expert: bool = False
    control_percent: int = 0
    has_blind_reading: bool = False
    opinions_shown: OpinionsShown = OpinionsShown.NOBODY
    kind: RoundKind = RoundKind.REVIEW
    substitute: int | None = None

    @property
    def audience(self) -> Audience:
        return Audience(
            roles=tuple(self.roles),
            languages=tuple(self.languages),
            excluded=without(self.excluded_people, self.substitute),
            needs_expert=self.needs_expert,
        )

    @property
    def choice(self) -> ItemChoice:
        return ItemChoice(
            selection=self.selection,
            sample_size=self.sample_size,
            seed=self.seed,
            uids=self.uids,
            item_filter=self.item_filter,
            since_round=self.since_round,
            kind=self.kind,
        )


def check_settings(project: Project, settings: RoundSettings, *, now: datetime) -> None:
    """Hold the limits of what a manager fills in. Raises RoundInvalid with the fields at fault."""
    _check_fields(settings)
    if (
        faults := _kind_faults(project, settings)
        | _choice_faults(project, settings)
        | audience_faults(project, settings.audience, besides=settings.substitute)
        | substitute_faults(project, settings.substitute)
        | _gap_faults(project, settings.score_gap)
        | due_faults(settings.due_on, now=now)
    ):
        raise RoundInvalid(fields=faults)


def audience_faults(
    project: Project, audience: Audience, *, besides: int | None = None
) -> dict[str, list[str]]:
    """What is wrong with whom a round asks, by field; `besides` is the substitute, who is not asked."""
    faults: dict[str, list[str]] = {}
    if not set(audience.roles) <= {str(role) for role in JUDGES}:
        faults["roles"] = [str(_("Choose from: %s.") % ", ".join(JUDGES))]
    members = set(project.memberships.values_list("user", flat=True))
    strangers = sorted(set(audience.excluded) - members - {besides})
    if strangers:
        words = _("Not a member of this project: %s.") % ", ".join(map(str, strangers))
        faults["excluded_people"] = [str(words)]
    return faults


def without(excluded: Sequence[int], substitute: int | None) -> tuple[int, ...]:
    """Return whom a round does not ask: its substitute too, who could not settle what they judged."""
    more = () if substitute is None or substitute in excluded else (substitute,)
    return (*excluded, *more)


def substitute_faults(project: Project, substitute: int | None) -> dict[str, list[str]]:
    """What is wrong with who settles the disputes that no senior may settle, by field."""
    if substitute is None or substitute in {user.pk for user in possible_substitutes(project)}:
        return {}
    words = _(
        "Choose a member of the project who reads the target language, is not paused and is no "
        "viewer."
    )
    return {"substitute": [str(words)]}


def due_faults(due_on: date | None, *, now: datetime) -> dict[str, list[str]]:
    """What is wrong with a due date that somebody sets, by field: it must not be over."""
    today = timezone.localdate(now)
    if due_on is None or due_on >= today:
        return {}
    words = _("This date is in the past. Enter %(today)s or a later day, or leave it empty.")
    return {"due_on": [str(words % {"today": today.isoformat()})]}


def _check_fields(settings: RoundSettings) -> None:
    chosen = as_fields(settings)
    given = {name for name, value in chosen.items() if value is not None}
    others = {field.name for field in Round._meta.get_fields()} - given
    try:
        Round(**chosen).clean_fields(exclude=others)
    except ValidationError as error:
        raise RoundInvalid(fields=error.message_dict) from error


def check_compared(project: Project, named: Collection[str]) -> None:
    """Raise OtherSystems where a comparison would show texts of other systems than `named`."""
    known = systems_of(project)
    if sorted(named) != known:
        raise OtherSystems(known=", ".join(known))


def _kind_faults(project: Project, settings: RoundSettings) -> dict[str, list[str]]:
    if settings.kind != RoundKind.REVIEW and settings.control_percent:
        return {"control_percent": [str(_("Only reviews have control items. Enter 0."))]}
    if settings.kind != RoundKind.COMPARISON:
        return {}
    if len(systems_of(project)) > 1:
        return {}
    words = _("All texts of this project are by one system. Import those of another one first.")
    return {"kind": [str(words)]}


def _gap_faults(project: Project, gap: int) -> dict[str, list[str]]:
    most = widest_span(project.criteria)
    if gap <= most:
        return {}
    words = _("Two ratings can differ by at most %(most)s. Enter a number from 1 to %(most)s.")
    return {"score_gap": [str(words % {"most": most})]}


def _choice_faults(project: Project, settings: RoundSettings) -> dict[str, list[str]]:
    """What a choice lacks, by field."""
    if settings.selection == Selection.SAMPLE and not settings.sample_size:
        return {"sample_size": [str(_("Give the size of the sample."))]}
    if settings.control_percent and not known_good_items(project).exists():
        return {"control_percent": [str(_("No approved item can serve as a control item yet."))]}
    if settings.selection == Selection.LIST:
        return _list_faults(project, settings.uids)
    if settings.selection == Selection.CHANGED:
        return _since_faults(project, settings.since_round)
    return {}


def _list_faults(project: Project, uids: Sequence[str]) -> dict[str, list[str]]:
    if not any(uids):
        return {"uids": [str(_("Give the uids of the items, one on each line."))]}
    if len(uids) > LONGEST_LIST:
        words = _("A list can have at most %(most)s items. Choose them by a filter instead.")
        return {"uids": [str(words % {"most": LONGEST_LIST})]}
    faults = unusable_lines(project, uids)
    told = [_line_words(each) for each in faults[:LINES_TOLD]]
    if len(faults) > LINES_TOLD:
        told.append(str(_("and %(count)s more lines") % {"count": len(faults) - LINES_TOLD}))
    return {"uids": told} if told else {}


def _line_words(fault: Unusable) -> str:
    return str(_LINE_WORDS[fault.reason] % {"line": fault.line, "uid": fault.uid})


def _since_faults(project: Project, number: int | None) -> dict[str, list[str]]:
    if number is None and latest_judged_round(project) is None:
        return {"since_round": [str(_("Nothing has been judged yet. Choose other items."))]}
    if number is not None and not project.rounds.filter(number=min(number, 32_767)).exists():
        words = _("There is no round %(number)s in this project.")
        return {"since_round": [str(words % {"number": number})]}
    return {}


def as_fields(settings: RoundSettings) -> dict[str, Any]:
    """The settings that are columns of the round."""
    return {name: getattr(settings, name) for name in settings.__slots__ if name not in ELSEWHERE}
