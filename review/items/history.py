"""The history of an item for one reader: its events and what reviewers and seniors said of it."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from django.db.models import Manager, Q
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.checks.queries import title_of
from annotation.items.timeline import TimelineEvent, changed_fields, item_events, newest_first
from annotation.models import Item
from projects.enums import Role
from projects.rules import role_in
from review.disputes.labels import reason_text
from review.enums import ErrorTag, Outcome, PanelState, RoundKind
from review.figures.labels import short_label
from review.models import Judgement, Panel, RepairedText, Suggestion
from review.outcomes import Correction
from review.workbench.presenters import suggested_fields

Said = TypeVar("Said", Judgement, Suggestion)
_OPEN = (PanelState.JUDGING, PanelState.DISPUTED)


def item_history(item: Item, user: User) -> list[TimelineEvent]:
    """Everything that happened to the item and that `user` may know, newest first; eight queries.

    Blindness: nobody reads another's judgement while its panel is being judged. After that,
    managers read all with names, and seniors once the dispute is settled. Reviewers read their
    own; others' without names, once the panel is settled and no panel on the item is being judged,
    on which they may be asked to sit. Names of authors and seniors are for those who lead, and
    for seniors only while they have nothing to settle on the item. What came too late for a
    judgement is told like a judgement.
    """
    reader = _Reader(item, user)
    events = item_events(item, shows_names=reader.shows_names)
    for panel in reader.panels:
        events += reader.events_of(panel)
    return newest_first([*events, *_repair_events(item, shows_names=reader.shows_names)])


def _repair_events(item: Item, *, shows_names: bool) -> Iterator[TimelineEvent]:
    """Yield when a batch repaired the text, and when that was undone; one query."""
    rows = RepairedText.objects.filter(after__translation=item.working_translation_id)
    for row in rows.select_related("after", "batch__actor").order_by("pk"):
        words = {"check": title_of(row.batch.code)}
        if row.after:
            yield TimelineEvent(
                at=row.after.created_at,
                kind="repair",
                title=_("Repaired in a batch: %(check)s") % words,
                who=str(row.batch.actor or "") if shows_names else "",
            )
        if row.restored_at:
            title = _("Repair undone: %(check)s") % words
            yield TimelineEvent(at=row.restored_at, kind="repair", title=title)


class _Reader:
    """What one person may read of an item's panels."""

    def __init__(self, item: Item, user: User) -> None:
        self.user = user
        self.criteria = item.project.criteria
        role = role_in(user, item.project)
        self.leads_all = user.is_superuser or role == Role.MANAGER
        self.is_senior = role == Role.SENIOR
        panels = Panel.objects.filter(item=item).order_by("round__number", "pk")
        # Rounds that compare or solve come to no outcome, unless most experts doubt the key.
        panels = panels.filter(Q(round__kind=RoundKind.REVIEW) | Q(outcome=Outcome.DISPUTED))
        self.panels: Sequence[Panel] = list(
            panels.select_related("round", "revision", "adjudication__senior")
        )
        states = {panel.state for panel in self.panels}
        self.is_being_judged = PanelState.JUDGING in states
        self.shows_names = self.leads_all or (self.is_senior and not states & set(_OPEN))
        self.judgements = self._said(Judgement.objects, by="reviewer", at="submitted_at")
        self.suggestions = self._said(Suggestion.objects, by="author", at="created_at")

    def events_of(self, panel: Panel) -> list[TimelineEvent]:
        said = [self._judgement_event(panel, each) for each in self.judgements[panel.pk]]
        said += [self._suggestion_event(panel, each) for each in self.suggestions[panel.pk]]
        return said + self._outcome_events(panel) + self._decision_events(panel)

    def _said(self, rows: Manager[Said], *, by: str, at: str) -> dict[int, list[Said]]:
        """What this reader may know of `rows`, by panel, oldest first; one query."""
        found: dict[int, list[Any]] = {panel.pk: [] for panel in self.panels}
        told = [panel.pk for panel in self.panels if self._tells(PanelState(panel.state))]
        mine = Q(**{by: self.user})
        chosen: Any = rows.filter(Q(panel__in=told) | mine, panel__in=found)
        for row in chosen.select_related(by).order_by(at, "pk"):
            found[row.panel_id].append(row)
        return found

    def _tells(self, state: PanelState) -> bool:
        """Whether others' judgements of a panel in this state are for this reader."""
        if self.leads_all:
            return state != PanelState.JUDGING
        if self.is_senior:
            return state not in _OPEN
        return state == PanelState.SETTLED and not self.is_being_judged

    def _judgement_event(self, panel: Panel, row: Judgement) -> TimelineEvent:
        ratings = [f"{short_label(each)} {row.ratings[each.name]}" for each in self.criteria]
        new = Correction.from_json(row.correction) if row.correction else None
        return TimelineEvent(
            at=row.submitted_at,
            kind="judgement",
            title=_("Judged in round %(number)s: %(verdict)s")
            % {"number": panel.round.number, "verdict": row.get_verdict_display()},
            who=self._name(row.reviewer),
            note=row.comment,
            details=[*ratings, *(str(ErrorTag(tag).label) for tag in row.tags)],
            read_fields=partial(changed_fields, panel.revision, new) if new else tuple,
        )

    def _suggestion_event(self, panel: Panel, row: Suggestion) -> TimelineEvent:
        title = _("Suggested in round %(number)s, too late for a judgement")
        return TimelineEvent(
            at=row.created_at,
            kind="suggestion",
            title=title % {"number": panel.round.number},
            who=self._name(row.author),
            note=row.comment,
            details=[row.get_verdict_display()] if row.verdict else [],
            read_fields=partial(suggested_fields, row, panel.revision),
        )

    def _name(self, person: User) -> str:
        if person.pk == self.user.pk:
            return _("you")
        return str(person) if self.leads_all or self.is_senior else _("a reviewer")

    def _outcome_events(self, panel: Panel) -> list[TimelineEvent]:
        if panel.state == PanelState.UNFINISHED:
            title = _("Round %(number)s closed without an outcome")
            at = panel.round.closed_at
        else:
            title = _("Outcome of round %(number)s: %(outcome)s")
            at = panel.decided_at
        if at is None:
            return []
        words = {"number": panel.round.number, "outcome": self._outcome(panel)}
        is_told = self._tells(PanelState(panel.state)) or self.is_senior
        reasons = [reason_text(reason, self.criteria).text for reason in panel.reasons if is_told]
        return [TimelineEvent(at=at, kind="outcome", title=title % words, details=reasons)]

    def _outcome(self, panel: Panel) -> str:
        return str(Outcome(panel.outcome).label) if panel.outcome else ""

    def _decision_events(self, panel: Panel) -> list[TimelineEvent]:
        decision = getattr(panel, "adjudication", None)
        if decision is None:
            return []
        title = _("Dispute settled: %(decision)s")
        return [
            TimelineEvent(
                at=decision.decided_at,
                kind="decision",
                title=title % {"decision": decision.get_decision_display()},
                who=str(decision.senior) if self.shows_names else "",
                note=decision.reason,
            )
        ]
