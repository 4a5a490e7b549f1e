"""Reads what a frozen release may publish; texts and keys of the black box are never read here."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet

from annotation.models import Source
from releases.enums import Subset
from releases.exporters.base import (
    LETTERS,
    HiddenItem,
    LedgerEntry,
    ReleaseContent,
    RoundNote,
    Row,
)
from releases.manifest import Counts, ReleaseFacts, SourceNote, SubjectCount, canary_string
from releases.models import Release, ReleaseItem
from releases.queries import release_items
from review.enums import Outcome
from review.models import Judgement, Panel


def release_content(release: Release) -> ReleaseContent:
    """Everything that the exporters of `release` write, in a fixed number of queries.

    What review knows is read as it stood when the release was frozen.
    """
    return ReleaseContent(
        facts=release_facts(release),
        rows=tuple(_rows(release_items(release).filter(subset=Subset.OPEN))),
        hidden=tuple(_hidden(release_items(release).filter(subset=Subset.BLACK_BOX))),
        ledger=tuple(_ledger(release)),
        quality=release.quality,
    )


def release_facts(release: Release) -> ReleaseFacts:
    project = release.project
    return ReleaseFacts(
        project=project.slug,
        name=project.name,
        version=release.version,
        source_language=project.source_language,
        target_language=project.target_language,
        seed=release.seed,
        dev_per_subject=release.dev_per_subject,
        black_box_share=release.black_box_share,
        formats=tuple(sorted(release.formats)),
        notes=release.notes,
        canary=canary_string(project=project.slug, version=release.version, seed=release.seed),
        software_version=settings.VERSION,
        counts=read_counts(release),
        sources=tuple(_sources(release)),
    )


def read_counts(release: Release) -> Counts:
    """The counts that were written down when the release was frozen."""
    body = dict(release.counts)
    subjects = tuple(SubjectCount(**subject) for subject in body.pop("subjects"))
    return Counts(**body, subjects=subjects)


def _sources(release: Release) -> Iterator[SourceNote]:
    rows = Source.objects.filter(items__release_items__release=release).distinct()
    for row in rows.order_by("name", "revision"):
        yield SourceNote(
            row.name, row.revision, row.url, row.licence, row.attribution, row.checksum
        )


def _rows(items: QuerySet[ReleaseItem]) -> Iterator[Row]:
    for placed in items:
        yield Row(
            id=placed.item.uid,
            subject=placed.item.subject.slug,
            split=placed.split,
            question=placed.revision.question,
            choices=tuple(placed.revision.options),
            answer=LETTERS.index(placed.item.key),
            explanation=placed.item.explanation,
        )


def _hidden(items: QuerySet[ReleaseItem]) -> Iterator[HiddenItem]:
    rows = items.values_list("item__uid", "item__subject__slug", "revision__options")
    for uid, subject, options in rows:
        yield HiddenItem(uid, subject, len(options))


def _ledger(release: Release) -> Iterator[LedgerEntry]:
    rounds = _rounds_by_item(release)
    items = release.items.select_related(
        "item__subject", "item__source", "revision__translation"
    ).defer("item__question", "item__options", "revision__question", "revision__options")
    pseudonyms: dict[int, str] = {}
    for placed in items.order_by("position", "pk"):
        yield LedgerEntry(
            id=placed.item.uid,
            subject=placed.item.subject.slug,
            split=placed.split,
            subset=placed.subset,
            source=placed.item.source.name,
            source_revision=placed.item.source.revision,
            system=placed.revision.translation.system,
            origin=placed.revision.origin,
            revisions=placed.revision.number,
            rounds=tuple(_round_notes(rounds[placed.item_id], pseudonyms)),
        )


RoundFacts = tuple[int, str, bool, list[int]]


def _rounds_by_item(release: Release) -> dict[int, list[RoundFacts]]:
    """By item, in the order of the rounds: number, outcome, adjudicated or not, reviewers' ids."""
    reviewers = _reviewers_by_panel(release)
    panels = Panel.objects.filter(
        item__release_items__release=release, round__opened_at__lte=release.frozen_at
    ).select_related("round", "adjudication")
    found: dict[int, list[RoundFacts]] = defaultdict(list)
    for panel in panels.order_by("round__number", "pk"):
        adjudication = getattr(panel, "adjudication", None)
        found[panel.item_id].append(
            (
                panel.round.number,
                _outcome_then(panel, release.frozen_at),
                _is_before(adjudication.decided_at if adjudication else None, release.frozen_at),
                reviewers[panel.pk],
            )
        )
    return found


def _reviewers_by_panel(release: Release) -> dict[int, list[int]]:
    rows = Judgement.objects.filter(
        panel__item__release_items__release=release, submitted_at__lte=release.frozen_at
    ).order_by("panel_id", "assignment__seat", "pk")
    found: dict[int, list[int]] = defaultdict(list)
    for panel_id, reviewer_id in rows.values_list("panel_id", "reviewer_id"):
        found[panel_id].append(reviewer_id)
    return found


def _outcome_then(panel: Panel, moment: datetime | None) -> str:
    """The panel's outcome as it stood at `moment`: what was settled later was a dispute then."""
    if _is_before(panel.settled_at, moment):
        return panel.outcome
    return Outcome.DISPUTED.value if _is_before(panel.decided_at, moment) else ""


def _is_before(time: datetime | None, moment: datetime | None) -> bool:
    return time is not None and moment is not None and time <= moment


def _round_notes(rounds: Iterable[RoundFacts], pseudonyms: dict[int, str]) -> Iterator[RoundNote]:
    for number, outcome, is_adjudicated, reviewers in rounds:
        names = tuple(
            pseudonyms.setdefault(pk, f"reviewer-{len(pseudonyms) + 1}") for pk in reviewers
        )
        yield RoundNote(number, outcome, is_adjudicated, names)
