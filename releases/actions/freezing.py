"""Freezing a release: one consistent look at the project, written down once and for all."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac

from annotation.duplicates.queries import clusters_of
from annotation.enums import ItemKind
from annotation.models import Item
from common.collector import without_collector
from common.db import checking_keys_at_once, consistent_transaction, without_waiting
from projects.models import Project, Source, Subject
from projects.queries import contributor_names
from releases.actions.checks import NothingApproved, check_fit, check_items, check_pairs
from releases.actions.requests import BuildEnded
from releases.enums import ReleaseState
from releases.hiding import preferred_uids, public_sources
from releases.manifest import Counts, SubjectCount
from releases.models import Release, ReleaseItem, ReleaseSecret, ReleaseSubject
from releases.option_orders import released_key
from releases.ordering import option_orders
from releases.people import FEWEST_NAMED, people_figures
from releases.provenance import ProvenanceReader
from releases.pseudonyms import hidden_id
from releases.quality import project_quality
from releases.queries import (
    ChosenText,
    carving_of,
    chosen_texts,
    duplicates_removed,
    earlier_subsets,
    project_details,
    waived_in,
    waiver_notes,
)
from releases.reading_ahead import reading_beside
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

BATCH = 2_500
AHEAD = 4 * BATCH
"""So many items are sent before we wait: what PostgreSQL has not taken yet stands in memory."""
NOBODY = frozenset[str]()
Chosen = Placement[ChosenText]
ReadQuality = Callable[[Project], dict[str, Any]]


def freeze_items(
    *, release: Release, now: datetime, read_quality: ReadQuality = project_quality
) -> None:
    """Choose the release's items and write down all that its files, pages and scores depend on.

    Items, outcomes, decisions and figures are read in one consistent transaction, so that they
    fit each other whatever reviewers do meanwhile. Raises what `check_items` raises of problems
    that no waiver of the release covers, ItemsUnfit, and BuildEnded if it was done meanwhile.
    """
    # Before the transaction that sees nothing new: a secret that another build has just stored.
    secret = project_secret(release.project)
    with consistent_transaction(), without_collector(), reading_beside() as beside:
        _claim(release, now)
        project = Project.objects.get(pk=release.project_id)
        waived = waived_in(release)
        checked = beside(check_items, project, waived)
        reader = beside(
            ProvenanceReader, project, secret=secret, version=release.version, waived=waived
        )
        texts = chosen_texts(project)
        checked()
        check_fit(texts)
        placements = _place(release, texts.texts, secret)
        if not placements:
            raise NothingApproved
        subjects = _freeze_subjects(release, {place.subject for place in placements})
        # Nothing waits for these before the rows are written.
        facts = beside(_facts, release, project, placements)
        quality = beside(read_quality, project)
        counts = beside(_count, subjects, placements)
        orders, unshuffled = option_orders(release, placements, secret=secret)
        _freeze_items(release, placements, subjects, Freezing(reader(), secret, orders))
        check_pairs(release)
        Release.objects.filter(pk=release.pk).update(
            counts=asdict(counts()),
            quality=quality(),
            facts=facts()
            | {"unshuffled": unshuffled}
            | {"contributors": _contributors(project, placements, reader())},
        )


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
    """The cluster of each item that has duplicates, by uid; items that are not approved too."""
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
    """Insert the release items in batches, in the order of the release."""
    subject_ids = {subject.slug: subject.pk for subject in subjects}
    with checking_keys_at_once():
        for ahead in range(0, len(placements), AHEAD):
            # The next batch is made while the database inserts the last and checks its keys.
            with without_waiting():
                for start in range(ahead, min(ahead + AHEAD, len(placements)), BATCH):
                    batch = placements[start : start + BATCH]
                    _insert(release, _rows(batch, start, subject_ids, freezing))


def _rows(
    batch: Sequence[Chosen], start: int, subject_ids: Mapping[str, int], freezing: "Freezing"
) -> list[tuple[Any, ...]]:
    """The values of _GIVEN for each item of a batch; the first has the position `start`."""
    return [
        (
            text.item_id,
            text.revision_id,
            subject_ids[text.subject],
            split,
            subset,
            position,
            *freezing.told_of(text, is_hidden=subset == BLACK_BOX),
        )
        for position, (text, split, subset) in enumerate(batch, start)
    ]


@dataclass(frozen=True, slots=True)
class Freezing:
    """What is needed to write down a placed item; `orders` are those of options, by uid."""

    reader: ProvenanceReader
    secret: str
    orders: Mapping[str, str]

    def told_of(self, text: ChosenText, *, is_hidden: bool) -> tuple[str, str, str, str]:
        """Provenance, public id, order of the options and the key in that order."""
        order = self.orders.get(text.uid, "")
        return (
            self.reader.provenance(text, is_hidden=is_hidden),
            hidden_id(text.uid, secret=self.secret) if is_hidden else text.uid,
            order,
            released_key(text.key, order),
        )


_GIVEN = {
    "item_id": "bigint",
    "revision_id": "bigint",
    "subject_id": "bigint",
    "split": "text",
    "subset": "text",
    "position": "integer",
    "provenance": "text",
    "public_id": "text",
    "option_order": "text",
    "key": "text",
}
"""Column of a release item that freezing decides → its type."""
_TOLD = list(_GIVEN).index("provenance")
"""Where the provenance stands among the values of a row."""
_COPIED = {
    "uid": "item.uid",
    "item_key": 'item."key"',
    "level": 'item."level"',
    "year": 'item."year"',
    "kind": "item.kind",
    "explanation": "item.explanation",
    "source_question": "item.question",
    "source_options": "item.options",
    "source_answer": "item.answer",
}
"""Column of a release item → what it copies."""


def _insert(release: Release, rows: Sequence[tuple[Any, ...]]) -> None:
    """Copy the items of `rows` inside the database: their texts never travel through Python.

    A row has the values of _GIVEN.
    """
    quote = connection.ops.quote_name
    placed, parameters = _as_table(rows)
    statement = f"""
        WITH placed ({", ".join(map(quote, _GIVEN))}) AS ({placed})
        INSERT INTO {quote(ReleaseItem._meta.db_table)} (
            release_id, {", ".join(map(quote, _GIVEN))}, {", ".join(map(quote, _COPIED))}
        )
        SELECT
            {int(release.pk)}, {", ".join(f"placed.{quote(name)}" for name in _GIVEN)},
            {", ".join(_COPIED.values())}
        FROM placed
        JOIN {quote(Item._meta.db_table)} AS item ON item.id = placed.item_id
    """  # noqa: S608  names of tables and columns, and a number
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def _as_table(rows: Sequence[tuple[Any, ...]]) -> tuple[str, list[Any]]:
    """SQL that gives `rows`, with its parameters."""
    if connection.vendor == "postgresql":
        return _from_json(rows)
    row = f"({', '.join(['%s'] * len(_GIVEN))})"
    return f"VALUES {', '.join([row] * len(rows))}", [value for row in rows for value in row]


def _from_json(rows: Sequence[tuple[Any, ...]]) -> tuple[str, list[Any]]:
    """SQL of PostgreSQL whose parameters are two JSON texts: the rows, and their provenances.

    The driver reads a statement with thousands of placeholders more slowly than the server inserts
    the rows. Provenances are long and few differ, so each is sent once and a row has its number.
    """
    numbers: dict[str, int] = {}
    numbered = [
        (*row[:_TOLD], numbers.setdefault(row[_TOLD], len(numbers)), *row[_TOLD + 1 :])
        for row in rows
    ]
    cells = [f"(value->>{place})::{kind}" for place, kind in enumerate(_GIVEN.values())]
    cells[_TOLD] = f"provenances->>(value->>{_TOLD})::integer"
    statement = f"""
        SELECT {", ".join(cells)}
        FROM jsonb_array_elements(%s::jsonb), (SELECT %s::jsonb AS provenances) AS told
    """  # noqa: S608  numbers and types
    return statement, [json.dumps(numbered), json.dumps(list(numbers))]


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
    """How often each value is there, without the empty one."""
    return {value: number for value, number in sorted(Counter(values).items()) if value}


def _facts(release: Release, project: Project, placements: Sequence[Chosen]) -> dict[str, Any]:
    """What is true of the release as a whole; of its sources those that something in it has."""
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
            {name: getattr(source, name) for name in names} for source in sources
        ),
        "hidden_public": _hidden_public(project, placements),
        "details": asdict(project_details(project)),
        "carved": sum(place.split == DEV and not place.candidate.is_dev for place in placements),
        "duplicates_removed": duplicates_removed(project),
        "people": people_figures(project),
        "criteria": [(each.name, each.short_label) for each in project.criteria],
        "waivers": [asdict(note) for note in waiver_notes(release, placements)],
    }


def _each_once(notes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A file with items and their translations is two sources, of which there is one thing to tell."""
    return list({tuple(note.items()): note for note in notes}.values())


def _contributors(
    project: Project, placements: Sequence[Chosen], reader: ProvenanceReader
) -> list[str]:
    """The names of those who agreed to be named, unless too few people judged the items."""
    names = contributor_names(project)
    if not names or 0 < reader.reviewer_count(each.candidate for each in placements) < FEWEST_NAMED:
        return []
    return names


def _hidden_public(project: Project, placements: Sequence[Chosen]) -> dict[str, int]:
    """By subject the hidden items whose source is public."""
    public = public_sources(project)
    hidden = (place for place in placements if place.subset == BLACK_BOX)
    found = Counter(
        place.subject for place in hidden if place.candidate.origin.item_source in public
    )
    return dict(sorted(found.items()))
