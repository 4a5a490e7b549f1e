"""Starts analyses of items, stores their figures, and decides on what they suggest to review."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.db import move
from common.errors import DomainError
from common.reasons import checked_reason
from evaluation.enums import SUGGESTION_TRANSITIONS, SuggestionState
from evaluation.items.answers import finished_runs
from evaluation.models import ItemAnalysis, ItemFigure, ReviewSuggestion
from jobs.actions import create_job
from projects.locks import lock_project
from projects.models import Project
from releases.models import Release
from review.enums import Selection
from review.models import Round
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings

ANALYSIS_KIND = "item-analysis"
MOST_SENT = 500


class RunsMissing(DomainError):
    code = "runs_missing"
    detail = _("Release %(version)s has no finished run. Run some models on it first.")


class ReferenceIsSame(DomainError):
    code = "reference_is_same"
    detail = _("Choose another release as the one in the source language.")
    status = 400


class AnalysisUnderway(DomainError):
    code = "analysis_underway"
    detail = _(
        "The items of this release are already being analysed. Wait until that has finished."
    )


class NothingSelected(DomainError):
    code = "nothing_selected"
    detail = _("Select from 1 to %(most)s open suggestions.")
    status = 400


class SuggestionDecided(DomainError):
    code = "suggestion_decided"
    detail = _("This suggestion was already sent to a round or dismissed.")


@transaction.atomic
def start_analysis(
    *, release: Release, reference: Release | None, actor: User | None, now: datetime
) -> ItemAnalysis:
    """Queue an analysis of the items of `release` by its finished runs.

    Writes the job, the analysis and an audit row in one transaction, then wakes a worker. The
    figures of an earlier analysis stay until the job has new ones. Raises RunsMissing,
    ReferenceIsSame, AnalysisUnderway.
    """
    if reference is not None and reference.pk == release.pk:
        raise ReferenceIsSame
    for each in (release, reference):
        if each is not None and not finished_runs(each).exists():
            raise RunsMissing(version=each.version)
    lock_project(release.project_id)
    earlier = ItemAnalysis.objects.select_related("job").filter(release=release).first()
    if earlier is not None and not earlier.job.has_ended:
        raise AnalysisUnderway
    params: dict[str, Any] = {"release": release.version, "release_id": release.pk}
    if reference is not None:
        params |= {"reference": str(reference), "reference_id": reference.pk}
    job = create_job(
        kind=ANALYSIS_KIND, scope=release.project.slug, params=params, actor=actor, now=now
    )
    try:
        with transaction.atomic():
            analysis, _new = ItemAnalysis.objects.update_or_create(
                release=release, defaults={"reference": reference, "job": job}
            )
    except IntegrityError as error:  # another caller was faster
        raise AnalysisUnderway from error
    return analysis


@transaction.atomic
def store_figures(
    *,
    analysis: ItemAnalysis,
    figures: Sequence[ItemFigure],
    suggested: Sequence[ReviewSuggestion],
    basis: list[Any],
    facts: dict[str, Any],
    now: datetime,
) -> None:
    """Replace the figures of the analysis and the open suggestions from its release.

    Suggestions that people sent or dismissed stay as they are; there is one for each text and
    kind. Running this again with the same values changes nothing but ids.
    """
    project = lock_project(analysis.release.project_id)
    old = ItemFigure.objects.filter(analysis=analysis)
    old._raw_delete(using=old.db)  # noqa: SLF001
    ItemFigure.objects.bulk_create(figures, batch_size=500)
    put_back_discarded(project)
    _store_suggestions(analysis.release, suggested)
    ItemAnalysis.objects.filter(pk=analysis.pk).update(basis=basis, facts=facts, finished_at=now)


def put_back_discarded(project: Project) -> None:
    """Open the suggestions again whose round was discarded."""
    there = Round.objects.filter(pk=OuterRef("round_id"))
    sent = ReviewSuggestion.objects.filter(project=project, state=SuggestionState.SENT)
    sent.filter(~Exists(there)).update(
        state=SuggestionState.OPEN, round=None, decided_by=None, decided_at=None
    )


def send_suggestions(
    *, project: Project, ids: Sequence[int], panel_size: int, actor: User | None, now: datetime
) -> Round:
    """Open a round on the items of these suggestions, and note that they were sent to it.

    All in one transaction. Raises NothingSelected if one of them is not open, and what
    `open_round` raises, for example RoundAlreadyOpen or RoundInvalid with a line for each item that
    can't be judged now.
    """
    if not 1 <= len(set(ids)) <= MOST_SENT:
        raise NothingSelected(most=MOST_SENT)
    with transaction.atomic():
        lock_project(project.pk)
        put_back_discarded(project)
        rows = ReviewSuggestion.objects.filter(
            project=project, pk__in=set(ids), state=SuggestionState.OPEN
        )
        uids = list(
            dict.fromkeys(rows.order_by("item__uid", "pk").values_list("item__uid", flat=True))
        )
        if rows.count() != len(set(ids)):
            raise NothingSelected(most=MOST_SENT)
        settings = RoundSettings(selection=Selection.LIST, uids=uids, panel_size=panel_size)
        round_ = open_round(project=project, settings=settings, actor=actor, now=now)
        rows.update(state=SuggestionState.SENT, round=round_, decided_by=actor, decided_at=now)
        record_event(
            verb="suggestions.sent",
            target=f"round:{round_.pk}",
            scope=project.slug,
            data={"round": round_.number, "suggestions": len(set(ids)), "items": len(uids)},
            actor=actor,
            now=now,
        )
    return round_


@transaction.atomic
def dismiss_suggestion(
    *, suggestion: ReviewSuggestion, reason: str, actor: User | None, now: datetime
) -> None:
    """Take a suggestion out of the queue for good.

    Raises SuggestionDecided, and what `checked_reason` raises.
    """
    reason = checked_reason(reason)
    move(
        ReviewSuggestion.objects.filter(pk=suggestion.pk),
        to=SuggestionState.DISMISSED,
        transitions=SUGGESTION_TRANSITIONS,
        refusal=SuggestionDecided,
        reason=reason,
        decided_by=actor,
        decided_at=now,
    )
    record_event(
        verb="suggestion.dismissed",
        target=f"suggestion:{suggestion.pk}",
        scope=suggestion.project.slug,
        data={"uid": suggestion.placed.uid, "kind": suggestion.kind, "reason": reason},
        actor=actor,
        now=now,
    )


def _store_suggestions(release: Release, suggested: Sequence[ReviewSuggestion]) -> None:
    made = {(each.revision_id, each.kind): each for each in suggested}
    of_project = ReviewSuggestion.objects.filter(project=release.project)
    earlier = {
        (each.revision_id, each.kind): each
        for each in of_project.filter(revision__release_items__release=release)
    }
    gone = [
        each.pk
        for key, each in earlier.items()
        if key not in made and each.state == SuggestionState.OPEN and each.release_id == release.pk
    ]
    of_project.filter(pk__in=gone).delete()
    changed = []
    for key, each in made.items():
        known = earlier.get(key)
        if known is not None and known.state == SuggestionState.OPEN:
            each.pk, each.created_at = known.pk, known.created_at
            changed.append(each)
    ReviewSuggestion.objects.bulk_update(
        changed, ["release", "placed", "strength", "evidence"], batch_size=500
    )
    new = [each for key, each in made.items() if key not in earlier]
    ReviewSuggestion.objects.bulk_create(new, batch_size=500)
