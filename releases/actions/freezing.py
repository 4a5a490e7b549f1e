"""Freezing a release: one consistent look at the project, written down once and for all."""

import gc
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac

from annotation.duplicates.queries import clusters_of
from annotation.models import Item
from common.db import consistent_transaction
from projects.models import Project, Source, Subject
from releases.actions.checks import NothingApproved, check_fit, check_items, check_pairs
from releases.actions.requests import BuildEnded
from releases.enums import ReleaseState
from releases.hiding import preferred_uids, public_sources
from releases.manifest import Counts, SubjectCount
from releases.models import Release, ReleaseItem, ReleaseSecret, ReleaseSubject
from releases.provenance import ProvenanceReader
from releases.pseudonyms import hidden_id
from releases.quality import project_quality
from releases.queries import (
    ChosenText,
    chosen_texts,
    earlier_subsets,
    project_details,
)
from releases.splits import (
    BLACK_BOX,
    DEV,
    OPEN,
    TEST,
    Placement,
    SplitRule,
    place_items,
)

BATCH = 1_000
NOBODY = frozenset[str]()
Chosen = Placement[ChosenText]
ReadQuality = Callable[[Project], dict[str, Any]]


def freeze_items(
    *, release: Release, now: datetime, read_quality: ReadQuality = project_quality
) -> None:
    """Choose the release's items and write down all that its files, pages and scores depend on.

    Items, outcomes, decisions and figures are read in one consistent transaction, so that they
    fit each other whatever reviewers do meanwhile. Raises NothingApproved, ReleaseBlocked,
    DisputesOpen, DuplicatesAcross, ItemsUnfit, and BuildEnded if it was done meanwhile.
    """
    with consistent_transaction(), _without_collector():
        _claim(release, now)
        project = Project.objects.get(pk=release.project_id)
        check_items(project)
        texts = chosen_texts(project)
        check_fit(texts)
        secret = project_secret(project)
        placements = _place(release, texts.texts, secret)
        if not placements:
            raise NothingApproved
        subjects = _freeze_subjects(release, {place.subject for place in placements})
        _freeze_items(release, placements, subjects, secret)
        check_pairs(release)
        Release.objects.filter(pk=release.pk).update(
            counts=asdict(_count(subjects, placements)),
            quality=read_quality(project),
            facts=_facts(project, placements),
        )


@contextmanager
def _without_collector() -> Iterator[None]:
    """Stop the search for garbage in cycles: among all items' ids it takes long and finds none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def project_secret(project: Project) -> str:
    """The project's secret, made from the server's key when it is first asked for and kept then."""
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
    """The items in the order of the files; at the end those whose place must tell nothing."""
    opened, hidden = earlier_subsets(release.project)
    placements = place_items(
        texts,
        SplitRule(release.dev_per_subject, release.black_box_share, release.seed),
        opened=opened,
        hidden=hidden,
        clusters=_clusters(release.project),
        preferred=preferred_uids(release.project, texts) if release.prefers_experts else NOBODY,
    )
    concealed = [place for place in placements if place.subset == BLACK_BOX]
    concealed.sort(key=lambda place: (place.subject, hidden_id(place.uid, secret=secret)))
    return (*(place for place in placements if place.subset == OPEN), *concealed)


def _clusters(project: Project) -> dict[str, int]:
    """The cluster of each item that has duplicates, by uid; items that are not approved too."""
    clusters = clusters_of(project)
    if not clusters:
        return {}
    uids = dict(Item.objects.filter(project=project).values_list("pk", "uid"))
    return {uids[pk]: cluster for pk, cluster in clusters.items()}


def _freeze_subjects(release: Release, slugs: set[str]) -> list[ReleaseSubject]:
    names = ("slug", "name", "category", "dimension", "level")
    rows = Subject.objects.filter(project=release.project_id).order_by("slug").values(*names)
    return ReleaseSubject.objects.bulk_create(
        ReleaseSubject(release=release, **row) for row in rows if row["slug"] in slugs
    )


def _freeze_items(
    release: Release,
    placements: Sequence[Chosen],
    subjects: Sequence[ReleaseSubject],
    secret: str,
) -> None:
    """Insert the release items in batches, in the order of the release."""
    subject_ids = {subject.slug: subject.pk for subject in subjects}
    reader = ProvenanceReader(release.project, secret=secret, version=release.version)
    for start in range(0, len(placements), BATCH):
        batch = placements[start : start + BATCH]
        rows = [
            (
                text.item_id,
                text.revision_id,
                subject_ids[text.subject],
                split,
                subset,
                position,
                reader.provenance(text, is_hidden=subset == BLACK_BOX),
                hidden_id(text.uid, secret=secret) if subset == BLACK_BOX else text.uid,
            )
            for position, (text, split, subset) in enumerate(batch, start)
        ]
        _insert(release, rows)


_GIVEN = {
    "item_id": "bigint",
    "revision_id": "bigint",
    "subject_id": "bigint",
    "split": "text",
    "subset": "text",
    "position": "integer",
    "provenance": "text",
    "public_id": "text",
}
"""Column of a release item that freezing decides → its type."""
_COPIED = {
    "uid": "item.uid",
    "key": 'item."key"',
    "level": 'item."level"',
    "year": 'item."year"',
    "explanation": "item.explanation",
    "source_question": "item.question",
    "source_options": "item.options",
}
"""Column of a release item → what it copies."""


def _insert(release: Release, rows: Sequence[tuple[Any, ...]]) -> None:
    """Copy the items of `rows` inside the database: their texts never travel through Python.

    A row has the values of _GIVEN.
    """
    quote = connection.ops.quote_name
    placed, parameters = _as_table(rows)
    statement = f"""
        WITH placed ({", ".join(_GIVEN)}) AS ({placed})
        INSERT INTO {quote(ReleaseItem._meta.db_table)} (
            release_id, {", ".join(_GIVEN)}, {", ".join(map(quote, _COPIED))}
        )
        SELECT
            {int(release.pk)}, {", ".join(f"placed.{name}" for name in _GIVEN)},
            {", ".join(_COPIED.values())}
        FROM placed
        JOIN {quote(Item._meta.db_table)} AS item ON item.id = placed.item_id
    """  # noqa: S608  names of tables and columns, and a number
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def _as_table(rows: Sequence[tuple[Any, ...]]) -> tuple[str, list[Any]]:
    """SQL that gives `rows`, with its parameters.

    For PostgreSQL they are one JSON text: its driver reads a statement with thousands of
    placeholders more slowly than the server inserts the rows.
    """
    if connection.vendor == "postgresql":
        cells = ", ".join(f"(value->>{n})::{kind}" for n, kind in enumerate(_GIVEN.values()))
        return f"SELECT {cells} FROM jsonb_array_elements(%s::jsonb)", [json.dumps(rows)]  # noqa: S608
    row = f"({', '.join(['%s'] * len(_GIVEN))})"
    return f"VALUES {', '.join([row] * len(rows))}", [value for row in rows for value in row]


def _count(subjects: Sequence[ReleaseSubject], placements: Sequence[Chosen]) -> Counts:
    places = Counter((place.subject, place.split, place.subset) for place in placements)
    rows = tuple(
        SubjectCount(
            slug=subject.slug,
            name=subject.name,
            category=subject.category,
            test=places[subject.slug, TEST, OPEN] + places[subject.slug, TEST, BLACK_BOX],
            dev=places[subject.slug, DEV, OPEN],
            black_box=places[subject.slug, TEST, BLACK_BOX],
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
        levels=_sorted_counts(
            place.candidate.level for place in placements if place.subset == OPEN
        ),
        option_counts=_sorted_counts(str(place.candidate.option_count) for place in placements),
    )


def _sorted_counts(values: Iterable[str]) -> dict[str, int]:
    """How often each value is there, without the empty one."""
    return {value: number for value, number in sorted(Counter(values).items()) if value}


def _facts(project: Project, placements: Sequence[Chosen]) -> dict[str, Any]:
    """What is true of the release as a whole; of its sources those that something in it has."""
    origins = {place.candidate.origin for place in placements}
    used = frozenset[int]().union(*(origin.source_ids for origin in origins))
    sources = Source.objects.filter(pk__in=used).order_by("name", "revision", "system", "pk")
    names = ("name", "revision", "url", "licence", "attribution", "checksum")
    return {
        "name": project.name,
        "source_language": project.source_language,
        "target_language": project.target_language,
        "software_version": settings.VERSION,
        "sources": list(sources.values(*names)),
        "hidden_public": _hidden_public(project, placements),
        "details": asdict(project_details(project)),
    }


def _hidden_public(project: Project, placements: Sequence[Chosen]) -> dict[str, int]:
    """By subject the hidden items whose source is public."""
    public = public_sources(project)
    hidden = (place for place in placements if place.subset == BLACK_BOX)
    found = Counter(
        place.subject for place in hidden if place.candidate.origin.item_source in public
    )
    return dict(sorted(found.items()))
