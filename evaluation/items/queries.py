"""Finds analyses, the figures of items, suggestions, and what experts made of these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import KeyChange
from common.intervals import Interval, wilson_interval
from evaluation.enums import SuggestionKind, SuggestionState
from evaluation.items.answers import bases
from evaluation.models import ItemAnalysis, ItemFigure, ReviewSuggestion
from projects.models import Project
from releases.models import Release
from releases.queries import releases_seen_by
from review.enums import Outcome, PanelState
from review.models import Judgement, Panel

ORDERS: Mapping[str, tuple[str, ...]] = {
    "item": ("position", "pk"),
    "difficulty": ("difficulty_rank", "pk"),
    "discrimination": ("discrimination_rank", "pk"),
    "dif": ("dif_rank", "pk"),
}
KINDS: Mapping[str, Q] = {
    "": Q(),
    "none": Q(difficulty=0),
    "all": Q(difficulty=1),
    "negative": Q(discrimination__lt=0),
    "key": Q(strong_choice__gt="") & ~Q(strong_choice=F("placed__key")),
    "dif": Q(dif_rank__lte=-1.5),
}
"""The filters of the list of figures, by their names in addresses."""


def analyses_seen_by(user: User, project: Project) -> QuerySet[ItemAnalysis]:
    """Return the analyses of releases that `user` may see, of the newest release first."""
    rows = ItemAnalysis.objects.filter(release__in=releases_seen_by(user, project))
    return rows.select_related("release__project", "reference__project", "job").order_by(
        "-release__created_at", "-release"
    )


def figures_seen_by(user: User, analysis: ItemAnalysis) -> QuerySet[ItemFigure]:
    """Return the figures of the items whose texts and keys `user` may see."""
    rows = ItemFigure.objects.filter(analysis=analysis)
    rows = rows.select_related("placed__subject", "placed__revision")
    if user.has_perm("evaluation.view_hidden_figures", analysis.release.project):
        return rows
    return rows.filter(is_hidden=False)


def is_outdated(analysis: ItemAnalysis) -> bool:
    """Whether runs have ended, or answers were scored, since the figures were computed."""
    return bool(outdated([analysis]))


def outdated(analyses: Sequence[ItemAnalysis]) -> set[int]:
    """Return the ids of those whose answers have changed since, in one query."""
    releases = [pk for each in analyses for pk in (each.release_id, each.reference_id) if pk]
    now = bases(releases)
    return {
        each.pk
        for each in analyses
        if each.finished_at
        and each.basis != sorted([*now[each.release_id], *now[each.reference_id or 0]])
    }


def analysable_releases(user: User, project: Project) -> QuerySet[Release]:
    """Return the releases with runs, the newest first."""
    rows: QuerySet[Release] = releases_seen_by(user, project).filter(runs__isnull=False)
    return rows.distinct().order_by("-created_at", "-pk")


def suggestions_of(
    project: Project, *, state: str = SuggestionState.OPEN, kind: str = ""
) -> QuerySet[ReviewSuggestion]:
    """Return suggestions in a state, of one kind or of all, with what a list shows."""
    rows = ReviewSuggestion.objects.filter(project=project, state=state)
    if kind:
        rows = rows.filter(kind=kind)
    return rows.select_related("placed__subject", "item__working_translation", "round", "release")


@dataclass(frozen=True, slots=True)
class HitRate:
    """What people found where a kind of suggestion was sent to a round.

    sent: the suggestions; judged: those whose item has an outcome
    not_approved: the text was changed or the item rejected; key_corrected: the item has another key
    since; found: either of the two; simulated: those whose item a program judged, not only people
    """

    kind: SuggestionKind
    sent: int
    judged: int
    not_approved: int
    key_corrected: int
    found: int
    simulated: int = 0

    @property
    def share(self) -> float | None:
        return self.found / self.judged if self.judged else None

    @property
    def interval(self) -> Interval:
        return wilson_interval(self.found, self.judged)


def hit_rates(project: Project) -> list[HitRate]:
    """Return what experts found for each kind of suggestion that was sent; one query."""
    panels = Panel.objects.filter(round=OuterRef("round_id"), item=OuterRef("item_id"))
    settled = panels.filter(state=PanelState.SETTLED)
    corrected = KeyChange.objects.filter(
        item=OuterRef("item_id"), created_at__gte=OuterRef("decided_at")
    )
    by_programs = Judgement.objects.filter(
        panel__round=OuterRef("round_id"),
        panel__item=OuterRef("item_id"),
        reviewer__is_simulated=True,
    )
    rows = (
        ReviewSuggestion.objects.filter(project=project, state=SuggestionState.SENT)
        .annotate(
            is_judged=Exists(settled),
            is_refused=Exists(settled.exclude(outcome=Outcome.APPROVED)),
            is_corrected=Exists(corrected),
            is_simulated=Exists(by_programs),
        )
        .values_list("kind", "is_judged", "is_refused", "is_corrected", "is_simulated")
    )
    found: dict[str, list[tuple[bool, bool, bool, bool]]] = {}
    for kind, *facts in rows:
        judged, refused, key, simulated = facts
        # A key can be corrected before the panel is settled; it is a finding all the same.
        found.setdefault(kind, []).append((judged or key, refused, key, simulated))
    return [
        _hit_rate(SuggestionKind(kind), found[kind]) for kind in SuggestionKind if kind in found
    ]


def _hit_rate(kind: SuggestionKind, rows: list[tuple[bool, bool, bool, bool]]) -> HitRate:
    return HitRate(
        kind=kind,
        sent=len(rows),
        judged=sum(judged for judged, _refused, _key, _program in rows),
        not_approved=sum(refused for _judged, refused, _key, _program in rows),
        key_corrected=sum(key for _judged, _refused, key, _program in rows),
        found=sum(refused or key for _judged, refused, key, _program in rows),
        simulated=sum(program for _judged, _refused, _key, program in rows),
    )
