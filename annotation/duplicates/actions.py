"""Every write to duplicates: start, cancel and resume searches, decide and reopen pairs.

The search itself is in `search`, which the web process never imports.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.duplicates.clusters import (
    join_items,
    lock_clusters,
    measure_clusters,
    regroup_clusters,
)
from annotation.enums import PAIR_TRANSITIONS, ItemState, PairKind, PairState
from annotation.items.actions import exclude_item, restore_item
from annotation.models import DuplicatePair, DuplicateSearch, Item
from common.db import move
from common.errors import DomainError
from common.reasons import checked_reason
from jobs.actions import cancel_job, create_job, resume_job
from jobs.enums import ENDED_JOB_STATES
from jobs.models import Job
from projects.locks import lock_project
from projects.models import Project

KIND = "duplicates"
METHODS = (PairKind.EXACT, PairKind.NEAR, PairKind.SEMANTIC)


class MethodsUnknown(DomainError):
    code = "methods_unknown"
    detail = _("Choose at least one of the methods exact, near and semantic.")
    status = 400


class SearchRunning(DomainError):
    code = "search_running"
    detail = _("A search is already running in this project. Wait for it to finish, or cancel it.")


class NothingToSearch(DomainError):
    code = "nothing_to_search"
    detail = _("A search needs at least two active items. Import items first.")


class PairAlreadyDecided(DomainError):
    code = "pair_already_decided"
    detail = _("Someone has already decided this pair. You can reopen the decision.")


class PairNotDecided(DomainError):
    code = "pair_not_decided"
    detail = _("This pair is already open.")


class DroppedNotOfPair(DomainError):
    code = "dropped_not_of_pair"
    detail = _("Choose which of the two items to drop.")
    status = 400


class NothingDropped(DomainError):
    code = "nothing_dropped"
    detail = _("Different items both stay. Leave “dropped” empty.")
    status = 400


class DecisionUnknown(DomainError):
    code = "decision_unknown"
    detail = _("Choose whether the items are duplicates or different.")
    status = 400


class KeptItemExcluded(DomainError):
    code = "kept_item_excluded"
    detail = _(
        "The item you want to keep is excluded, so neither item would be left. Restore it first."
    )


@dataclass(frozen=True, slots=True)
class Reopened:
    """A pair that is open again, and the item that came back with it, if one did."""

    pair: DuplicatePair
    restored: Item | None


@transaction.atomic
def start_search(
    *, project: Project, methods: Sequence[str], actor: User | None, now: datetime
) -> DuplicateSearch:
    """Queue a search over the items that the project has now; one at a time in a project.

    Raises MethodsUnknown, NothingToSearch, SearchRunning.
    """
    wanted = [str(method) for method in METHODS if method in methods]
    if not wanted or set(methods) - set(wanted):
        raise MethodsUnknown
    lock_project(project.pk)
    _refuse_second_search(project)
    newest = list(Item.objects.filter(project=project).active().order_by("-pk")[:2])
    if len(newest) < 2:
        raise NothingToSearch
    job = create_job(
        kind=KIND,
        scope=project.slug,
        params={
            "last_item": newest[0].pk,
            "methods": wanted,
            "model": settings.EMBEDDING_MODEL,
        },
        actor=actor,
        now=now,
    )
    search: DuplicateSearch = DuplicateSearch.objects.create(
        project=project,
        job=job,
        requested_by=actor,
        methods=wanted,
        model=settings.EMBEDDING_MODEL,
        created_at=now,
    )
    return search


def cancel_search(*, search: DuplicateSearch, actor: User, now: datetime) -> None:
    """Ask a search to stop; what it has found stays. Raises JobNotCancellable."""
    cancel_job(job=search.job, actor=actor, now=now)


def resume_search(*, search: DuplicateSearch, actor: User, now: datetime) -> None:
    """Send a stopped search back to the queue; it leaves out the blocks that are finished.

    Raises JobNotRunnable, and SearchRunning while another one is under way.
    """
    resume_job(job=search.job, actor=actor, now=now)


def refuse_second_search(job: Job) -> None:
    """Refuse to resume the search of `job` while another one of its project is under way.

    The lock on the project makes two people who resume two searches at once wait for each other.
    Raises SearchRunning.
    """
    search = DuplicateSearch.objects.select_related("project").get(job=job)
    lock_project(search.project_id)
    _refuse_second_search(search.project, besides=search)


@transaction.atomic
def decide_pair(
    *,
    pair: DuplicatePair,
    state: str,
    dropped: Item | None,
    reason: str,
    actor: User,
    now: datetime,
) -> DuplicatePair:
    """Decide what two items are to each other; of duplicates, `dropped` is excluded with `reason`.

    The decision is about the two items, so it holds for the side it was found on and, where that
    is open as well, for the other. Both items are locked in one order, so that of two people at
    once one is refused and never both items go. Raises DecisionUnknown, ReasonMissing,
    ReasonTooLong, TextInvalid, DroppedNotOfPair, NothingDropped, KeptItemExcluded,
    PairAlreadyDecided and ItemAlreadyExcluded.
    """
    reason = checked_reason(reason)
    _check_decision(pair, state, dropped)
    lock_clusters(pair.project_id)
    items = _lock_items(pair)
    changes: dict[str, Any] = {
        "dropped": dropped,
        "decided_by": actor,
        "decided_at": now,
        "reason": reason,
    }
    if state == PairState.DISTINCT:
        changes["cluster"] = None
    rows = DuplicatePair.objects.filter(a=pair.a_id, b=pair.b_id)
    clusters = _clusters_of(rows)
    move(
        rows.filter(pk=pair.pk),
        to=state,
        transitions=PAIR_TRANSITIONS,
        refusal=PairAlreadyDecided,
        **changes,
    )
    rows.filter(state=PairState.OPEN).update(state=state, **changes)
    if dropped is not None:
        if any(i.state == ItemState.EXCLUDED for i in items if i.pk != dropped.pk):
            raise KeptItemExcluded
        exclude_item(item=dropped, reason=reason, actor=actor, now=now)
    regroup_clusters(clusters)
    data = {"state": str(state), "dropped": dropped.uid if dropped else "", "reason": reason}
    _record_pair(pair, "duplicate.decided", data, actor, now)
    pair.refresh_from_db()
    return pair


@transaction.atomic
def reopen_pair(*, pair: DuplicatePair, reason: str, actor: User, now: datetime) -> Reopened:
    """Take a decision back, on both sides; the item that it dropped returns.

    An item that was excluded again since, for another reason, stays out.

    Raises PairNotDecided, ReasonMissing, ReasonTooLong, TextInvalid.
    """
    reason = checked_reason(reason)
    lock_clusters(pair.project_id)
    items = {item.pk: item for item in _lock_items(pair)}
    pair.refresh_from_db()
    dropped = items.get(pair.dropped_id or 0)
    is_still_out = (
        dropped is not None
        and dropped.state == ItemState.EXCLUDED
        and dropped.state_reason == pair.reason
    )
    clusters = join_items(pair.project_id, [(pair.a_id, pair.b_id)])
    changes = {
        "dropped": None,
        "decided_by": None,
        "decided_at": None,
        "reason": "",
        "cluster": clusters[0],
    }
    rows = DuplicatePair.objects.filter(a=pair.a_id, b=pair.b_id)
    alike = rows.filter(state=pair.state, dropped=pair.dropped_id).exclude(pk=pair.pk)
    twins = list(alike.values_list("pk", flat=True))
    move(
        rows.filter(pk=pair.pk),
        to=PairState.OPEN,
        transitions=PAIR_TRANSITIONS,
        refusal=PairNotDecided,
        **changes,
    )
    rows.filter(pk__in=twins).update(state=PairState.OPEN, **changes)
    restored = dropped if is_still_out else None
    if restored:
        restore_item(item=restored, reason=reason, actor=actor, now=now)
    measure_clusters(clusters)
    data = {"restored": restored.uid if restored else "", "reason": reason}
    _record_pair(pair, "duplicate.reopened", data, actor, now)
    pair.refresh_from_db()
    return Reopened(pair, restored)


def _refuse_second_search(project: Project, besides: DuplicateSearch | None = None) -> None:
    others = DuplicateSearch.objects.filter(project=project).exclude(
        pk=besides.pk if besides else 0
    )
    running = others.exclude(job__state__in=ENDED_JOB_STATES).order_by("-pk").first()
    if running:
        raise SearchRunning(current={"job": running.job_id})


def _check_decision(pair: DuplicatePair, state: str, dropped: Item | None) -> None:
    if state not in {PairState.DISTINCT, PairState.DUPLICATE}:
        raise DecisionUnknown
    if state == PairState.DISTINCT and dropped is not None:
        raise NothingDropped
    if state == PairState.DUPLICATE and (
        dropped is None or dropped.pk not in {pair.a_id, pair.b_id}
    ):
        raise DroppedNotOfPair


def _clusters_of(pairs: QuerySet[DuplicatePair]) -> set[int]:
    rows = pairs.filter(cluster__isnull=False)
    return set(rows.values_list("cluster", flat=True))


def _lock_items(pair: DuplicatePair) -> list[Item]:
    rows = Item.objects.filter(pk__in=[pair.a_id, pair.b_id])
    return list(rows.select_for_update(of=("self",)).select_related("project").order_by("pk"))


def _record_pair(
    pair: DuplicatePair, verb: str, data: dict[str, str], actor: User, now: datetime
) -> None:
    target, scope = f"duplicatepair:{pair.pk}", pair.project.slug
    record_event(actor=actor, verb=verb, target=target, scope=scope, data=data, now=now)
