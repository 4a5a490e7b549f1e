"""Freeze a release: take one consistent look at the project and write it down for good."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from accounts.mail import site_url
from annotation.duplicates.queries import clusters_of
from annotation.enums import ItemKind
from annotation.models import Item
from common.bulk_insert import insert_rows
from common.db import consistent_transaction
from common.web_addresses import web_address
from projects.models import Project, Source, Subject
from projects.queries import contributor_names
from releases.building.actions import BuildEnded
from releases.building.hiding import preferred_uids
from releases.building.ordering import option_orders
from releases.building.people import FEWEST_NAMED, people_figures
from releases.building.provenance import ProvenanceReader
from releases.building.pseudonyms import hidden_id
from releases.building.queries import (
    ChosenText,
    carving_of,
    chosen_texts,
    duplicates_removed,
    earlier_subsets,
    explained_by,
    project_quality,
    translated_by,
    waived_in,
    waiver_notes,
)
from releases.details.queries import project_details
from releases.enums import ReleaseState
from releases.files.manifest import Counts, SubjectCount
from releases.models import Release, ReleaseItem, ReleaseSecret, ReleaseSubject
from releases.option_orders import released_key
from releases.readiness.checks import check_fit, check_items, check_pairs
from releases.readiness.queries import public_sources
from releases.splits import (
    BLACK_BOX,
    DEV,
    NO_CARVING,
    OPEN,
    SOURCE,
    TEST,
    Placement,
    SplitRule,
    place_items,
)
from scoring.directions import Direction

BATCH = 2_000
NOBODY = frozenset[str]()
NO_DIRECTION = Direction("", "")
Chosen = Placement[ChosenText]
ReadQuality = Callable[[Project], dict[str, Any]]


def freeze_items(
    *, release: Release, now: datetime, read_quality: ReadQuality = project_quality
) -> None:
    """Choose the items of a release and store all that its files, pages and scores depend on.

    Items, outcomes, decisions and figures are read in one consistent transaction, so that they
    fit each other whatever reviewers do meanwhile. Raises what `check_items` raises of problems
    that no waiver of the release covers, ItemsUnfit, and BuildEnded if it was done meanwhile.
    """
    # Before the transaction that sees nothing new: a secret that another build has just stored.
    secret = project_secret(release.project)
    with consistent_transaction():
        _claim(release, now)
        project = Project.objects.get(pk=release.project_id)
        waived = waived_in(release)
        check_items(project, waived)
        check_fit(project)
        placements = _place(release, chosen_texts(project), secret)
        reader = ProvenanceReader(project, secret=secret, version=release.version, waived=waived)
        subjects = _freeze_subjects(release, {place.subject for place in placements})
        orders, unshuffled = option_orders(release, placements, secret=secret)
        _freeze_items(release, placements, subjects, Freezing(reader, secret, orders))
        check_pairs(release)
        facts = _facts(release, project, placements) | {
            "day": now.astimezone(UTC).date().isoformat(),
            "unshuffled": unshuffled,
            "simulated_judgements": reader.simulated_count(
                (place.candidate, place.subset == BLACK_BOX) for place in placements
            ),
            "contributors": _contributors(project, placements, reader),
        }
        Release.objects.filter(pk=release.pk).update(
            counts=asdict(_count(subjects, placements)),
            quality=read_quality(project),
            facts=facts,
        )


def project_secret(project: Project) -> str:
    """Return the project's secret; it is made from the server's key when it is first asked for."""
    value = salted_hmac("releases.secret", project.slug, algorithm="sha256").hexdigest()
    secret, _new = ReleaseSecret.objects.get_or_create(project=project, defaults={"value": value})
    return secret.value


def _claim(release: Release, now: datetime) -> None:
    rows = Release.objects.filter(
        pk=release.pk, state=ReleaseState.BUILDING, frozen_at__isnull=True
    )
    if not rows.update(frozen_at=now):
        raise BuildEnded


def _place(release: Release, texts: Sequence[ChosenText], secret: str) -> tuple[Chosen, ...]:
    """Return the items in the order of the files; hidden ones come last, so that their place tells nothing."""
    opened, hidden = earlier_subsets(release.project)
    placements = place_items(
        texts,
        SplitRule(release.dev_per_subject, release.black_box_share, release.seed, release.dev_from),
        secret=secret,
        opened=opened,
        hidden=hidden,
        clusters=_clusters(release.project),
        preferred=preferred_uids(release.project, texts) if release.prefers_experts else NOBODY,
        carving=NO_CARVING if release.dev_from == SOURCE else carving_of(release.project),
    )
    concealed = [place for place in placements if place.subset == BLACK_BOX]
    concealed.sort(key=lambda place: (place.subject, hidden_id(place.uid, secret=secret)))
    return (*(place for place in placements if place.subset == OPEN), *concealed)


def _clusters(project: Project) -> dict[str, int]:
    """Return the cluster of each item that has duplicates, by uid, items that are not approved included."""
    clusters = clusters_of(project)
    if not clusters:
        return {}
    uids = dict(Item.objects.filter(project=project).values_list("pk", "uid"))
    return {uids[pk]: cluster for pk, cluster in clusters.items()}


def _freeze_subjects(release: Release, slugs: set[str]) -> list[ReleaseSubject]:
    names = ("slug", "name", "category", "dimension", "level")
    rows = Subject.objects.filter(project=release.project_id).values(*names)
    # Sorted here, as databases have different orders of letters.
    return ReleaseSubject.objects.bulk_create(
        ReleaseSubject(release=release, **row)
        for row in sorted(rows, key=lambda row: str(row["slug"]))
        if row["slug"] in slugs
    )


def _freeze_items(
    release: Release,
    placements: Sequence[Chosen],
    subjects: Sequence[ReleaseSubject],
    freezing: "Freezing",
) -> None:
    """Store the release items in their order; only the texts of one batch are in memory."""
    subject_ids = {subject.slug: subject.pk for subject in subjects}
    for start in range(0, len(placements), BATCH):
        batch = placements[start : start + BATCH]
        ids = [place.candidate.item_id for place in batch]
        columns = Item.objects.filter(pk__among=ids).values_list("pk", *_COPIED.values())
        copied = {pk: texts for pk, *texts in columns}
        directions = _directions(release.project, [place.candidate for place in batch])
        rows = [
            (
                *(text.item_id, text.revision_id, subject_ids[text.subject], text.uid, text.kind),
                *(split, subset, position),
                *directions.get(text.item_id, NO_DIRECTION),
                *freezing.told_of(text, is_hidden=subset == BLACK_BOX),
                *copied[text.item_id],
            )
            for position, (text, split, subset) in enumerate(batch, start)
        ]
        insert_rows(ReleaseItem, (*_DECIDED, *_COPIED), rows, {"release": release.pk})


def _directions(project: Project, texts: Iterable[ChosenText]) -> dict[int, Direction]:
    """Return item → direction of those that ask for a translation."""
    ids = [text.item_id for text in texts if text.kind == ItemKind.TRANSLATION]
    if not ids:
        return {}
    rows = Item.objects.filter(pk__among=ids).only("metadata")
    return {item.pk: item.direction_in(project) for item in rows}


@dataclass(frozen=True, slots=True)
class Freezing:
    """The means to write down a placed item; `orders` are the option orders by uid."""

    reader: ProvenanceReader
    secret: str
    orders: Mapping[str, str]

    def told_of(self, text: ChosenText, *, is_hidden: bool) -> tuple[str, str, str, str]:
        """Return provenance, public id, order of the options, and the key in that order."""
        order = self.orders.get(text.uid, "")
        return (
            self.reader.provenance(text, is_hidden=is_hidden),
            hidden_id(text.uid, secret=self.secret) if is_hidden else text.uid,
            order,
            released_key(text.key, order),
        )


_DECIDED = (
    *("item", "revision", "subject", "uid", "kind", "split", "subset", "position"),
    *("source_language", "target_language"),
    *("provenance", "public_id", "option_order", "key"),
)
_COPIED = {
    "item_key": "key",
    "level": "level",
    "year": "year",
    "explanation": "explanation",
    "source_question": "question",
    "source_options": "options",
    "source_answer": "answer",
}
"""Column of a release item → the column of the item that it copies."""


def _count(subjects: Sequence[ReleaseSubject], placements: Sequence[Chosen]) -> Counts:
    places = Counter((place.subject, place.split, place.subset) for place in placements)
    opened = [place for place in placements if place.subset == OPEN]
    others = [place for place in opened if place.candidate.kind != ItemKind.CHOICE]
    without = Counter((place.subject, place.split) for place in others)
    rows = tuple(
        SubjectCount(
            slug=subject.slug,
            name=subject.name,
            category=subject.category,
            test=places[subject.slug, TEST, OPEN] + places[subject.slug, TEST, BLACK_BOX],
            dev=places[subject.slug, DEV, OPEN],
            black_box=places[subject.slug, TEST, BLACK_BOX],
            test_without_options=without[subject.slug, TEST],
            dev_without_options=without[subject.slug, DEV],
        )
        for subject in subjects
    )
    hidden = sum(row.black_box for row in rows)
    return Counts(
        items=len(placements),
        test=sum(row.test for row in rows),
        dev=sum(row.dev for row in rows),
        open=len(placements) - hidden,
        black_box=hidden,
        subjects=rows,
        levels=_sorted_counts(place.candidate.level for place in opened),
        option_counts=_sorted_counts(str(place.candidate.option_count) for place in placements),
        kinds=_sorted_counts(place.candidate.kind for place in others),
    )


def _sorted_counts(values: Iterable[str]) -> dict[str, int]:
    """Count each value, without the empty one."""
    return {value: number for value, number in sorted(Counter(values).items()) if value}


def _facts(release: Release, project: Project, placements: Sequence[Chosen]) -> dict[str, Any]:
    """Return what is true of the release as a whole, with the sources that its items come from."""
    origins = {place.candidate.origin for place in placements}
    used = frozenset[int]().union(*(origin.source_ids for origin in origins))
    sources = sorted(
        Source.objects.filter(pk__in=used),
        key=lambda source: (source.name, source.revision, source.system, source.pk),
    )
    names = ("name", "revision", "url", "licence", "attribution", "checksum")
    return {
        "name": project.name,
        "source_language": project.source_language,
        "target_language": project.target_language,
        "software_version": settings.VERSION,
        "sources": _each_once(
            {name: getattr(source, name) for name in names} | {"url": web_address(source.url)}
            for source in sources
        ),
        "hidden_public": _hidden_public(project, placements),
        "explained_by": explained_by(project, [place.candidate for place in placements]),
        "translated_by": translated_by(project, [place.candidate for place in placements]),
        "details": asdict(project_details(project)),
        "carved": sum(place.split == DEV and not place.candidate.is_dev for place in placements),
        "duplicates_removed": duplicates_removed(project),
        "people": people_figures(project),
        "criteria": [(each.name, each.short_label) for each in project.criteria],
        "waivers": [asdict(note) for note in waiver_notes(release, placements)],
        "address": site_url(
            reverse("releases:public-release", args=[project.slug, release.version])
        ),
    }


def _each_once(notes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop repeated notes: a file with items and their translations is two sources with one note."""
    return list({tuple(note.items()): note for note in notes}.values())


def _contributors(
    project: Project, placements: Sequence[Chosen], reader: ProvenanceReader
) -> list[str]:
    """Return the names of those who agreed to be named, or none if too few people judged the items."""
    names = contributor_names(project)
    if not names or 0 < reader.reviewer_count(each.candidate for each in placements) < FEWEST_NAMED:
        return []
    return names


def _hidden_public(project: Project, placements: Sequence[Chosen]) -> dict[str, int]:
    """Count the hidden items whose source is public, by subject."""
    public = public_sources(project)
    hidden = (place for place in placements if place.subset == BLACK_BOX)
    found = Counter(
        place.subject for place in hidden if place.candidate.origin.item_source in public
    )
    return dict(sorted(found.items()))
