"""Questions about releases: who sees which, what a build would hold, what a release holds."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cache, partial
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Q, QuerySet

from accounts.models import User
from annotation.checks.catalogue.labels import REPORTED
from annotation.duplicates.queries import clusters_of, cross_split_pairs
from annotation.enums import ItemKind, ItemState, PairState, Severity, SplitName
from annotation.models import DuplicatePair, Item
from common.db import JsonLength
from languages.letters import MAX_OPTIONS, MIN_OPTIONS, letters_of, position_of
from projects.models import Project, Subject
from releases.details import PROSE, Details, read_authors
from releases.enums import ReleaseState, Subset
from releases.models import (
    Artifact,
    HubPublication,
    ProblemReport,
    Release,
    ReleaseDetails,
    ReleaseItem,
)
from releases.querysets import ProblemQuerySet, ReleaseQuerySet
from releases.splits import (
    BOTH,
    CARVED,
    SOURCE,
    Carving,
    Placement,
    SplitRule,
    black_box_quota,
)
from releases.versions import Version, parse_version
from releases.waivers import Waived, WaiverNote, waived_by
from review.queries import disputes

READ_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class TextOrigin:
    """Where texts come from; `revisions` is how many there were of each.

    `item_source` is the source of the items, `source_ids` are those of their translations too. The texts of one origin
    share one object, so that comparing two origins and hashing one cost nothing.
    """

    source: str
    source_revision: str
    system: str
    origin: str
    revisions: int
    item_source: int
    source_ids: frozenset[int]


class ChosenText(NamedTuple):
    """A candidate as freezing needs it: without its texts, because all are in memory."""

    uid: str
    subject: str
    is_dev: bool
    item_id: int
    revision_id: int
    origin: TextOrigin
    level: str
    option_count: int
    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class ChosenTexts:
    """The approved items, and the uids of those that no release can hold."""

    texts: Sequence[ChosenText]
    unfit_uids: Sequence[str]


@dataclass(frozen=True, slots=True)
class SubjectPreview:
    """What a build would take of a subject.

    `left_out` are dev items beyond the wanted number, and those that duplicate a test item.
    """

    name: str
    test: int
    dev: int
    black_box: int
    left_out: int
    is_short_of_dev: bool


@dataclass(frozen=True, slots=True)
class BuildPreview:
    """What a build would contain; `releases.readiness` says what blocks it.

    Where `has_clusters`, fewer items may be hidden than `black_box` says, because duplicates are
    hidden together or not at all.
    """

    subjects: tuple[SubjectPreview, ...]
    has_clusters: bool

    @property
    def approved(self) -> int:
        return sum(row.test + row.dev + row.left_out for row in self.subjects)

    @property
    def test(self) -> int:
        return sum(row.test for row in self.subjects)

    @property
    def dev(self) -> int:
        return sum(row.dev for row in self.subjects)

    @property
    def black_box(self) -> int:
        return sum(row.black_box for row in self.subjects)

    @property
    def left_out(self) -> int:
        return sum(row.left_out for row in self.subjects)

    @property
    def short_of_dev(self) -> int:
        return sum(row.is_short_of_dev for row in self.subjects)


def releases_seen_by(user: User, project: Project) -> ReleaseQuerySet:
    """All releases of the project for those who may build, for others those that are public."""
    rows: ReleaseQuerySet = Release.objects.filter(project=project)
    return rows if user.has_perm("releases.build_release", project) else rows.public()


def problem_reports(project: Project) -> ProblemQuerySet:
    """What readers reported of the project's releases, with what decides it."""
    rows: ProblemQuerySet = ProblemReport.objects.filter(release__project=project)
    related = ("release__project", "placed__item", "placed__subject", "decided_by", "mended_in")
    found: ProblemQuerySet = rows.select_related(*related)
    return found


def undecided_problem_counts(projects: Collection[Project]) -> dict[int, int]:
    """How many reports wait for a decision, by the id of each project that has any."""
    rows = ProblemReport.objects.undecided().filter(release__project__in=projects)
    return dict(rows.values_list("release__project").annotate(n=Count("pk")).order_by())


def release_items(release: Release) -> QuerySet[ReleaseItem]:
    """Everything in the release with subject and revision, in the order of the files."""
    items = release.items.select_related("subject", "revision").order_by("position", "pk")
    return items.defer("source_question", "source_options", "source_answer", "provenance")


def example_item(release: Release) -> ReleaseItem | None:
    """The first open item, to show what the release is like."""
    return release_items(release).filter(subset=Subset.OPEN).first()


def public_files(release: Release) -> list[Artifact]:
    """The files that may leave the server, by name; the archive of all of them is not repeated.

    No file of a release holds a text or key of a hidden item (`releases.content`).
    """
    archive = f"{release.project.slug}-{release.version}.zip"
    return list(release.artifacts.exclude(name=archive).order_by("name"))


def hub_publications(release: Release) -> list[tuple[HubPublication, str, str]]:
    """Where the release was published on the Hub, each with the addresses of its files and commit."""
    base = f"{settings.HUB_ENDPOINT.rstrip('/')}/datasets"
    return [
        (
            row,
            f"{base}/{row.repository}/tree/{release.version}",
            f"{base}/{row.repository}/commit/{row.commit}",
        )
        for row in release.hub_publications.order_by("repository")
    ]


def latest_repository(project: Project) -> str:
    """Where a release of the project was published last, or nothing."""
    rows = HubPublication.objects.filter(release__project=project).order_by("-published_at", "-pk")
    return rows.values_list("repository", flat=True).first() or ""


def approved_items(project: Project) -> QuerySet[Item]:
    """Items whose current text is approved: what a release is made of."""
    rows: QuerySet[Item] = Item.objects.filter(project=project).active().approved()
    return rows


def chosen_texts(project: Project) -> ChosenTexts:
    """Every approved item, in the order in which the database has them; texts stay there."""
    current = "working_translation__current_revision"
    columns = approved_items(project).order_by("pk").values_list(
        "uid", "subject_id", "split", "pk", "key", "level", "kind",
        JsonLength(f"{current}__options"), f"{current}_id", "source_id", "working_translation__source_id",
        "working_translation__system", f"{current}__origin", f"{current}__number",
    )  # fmt: skip
    subjects = dict(project.subjects.values_list("pk", "slug"))
    levels = dict(project.subjects.values_list("pk", "level"))
    sources = {row[0]: row for row in project.sources.values_list("pk", "name", "revision")}
    origin_of = cache(partial(_origin, sources))
    is_fit = cache(_is_fit)
    texts, unfit = [], []
    for uid, subject, split, pk, key, level, kind, count, revision, *origin in columns.iterator(
        READ_AT_ONCE
    ):
        place = (uid, subjects[subject], split == SplitName.DEV)
        source = origin_of(*origin)
        shown = level or levels[subject]
        texts.append(ChosenText(*place, pk, revision, source, shown, count, kind, key))
        if not is_fit(kind, key, count):
            unfit.append(uid)
    return ChosenTexts(texts, sorted(unfit))


def _origin(
    sources: Mapping[int, tuple[int, str, str]],
    source: int,
    text_source: int | None,
    system: str,
    origin: str,
    revisions: int,
) -> TextOrigin:
    _pk, name, revision = sources[source]
    ids = frozenset(pk for pk in (source, text_source) if pk is not None)
    return TextOrigin(name, revision, system, origin, revisions, source, ids)


def _is_fit(kind: str, key: str, option_count: int) -> bool:
    if kind != ItemKind.CHOICE:
        return option_count == 0
    is_choice = MIN_OPTIONS <= option_count <= MAX_OPTIONS
    return is_choice and position_of(key, option_count) is not None


def blocked_uids(project: Project) -> tuple[str, ...]:
    """Approved items whose text has an error finding that nobody dismissed, by uid."""
    rows = Item.objects.filter(project=project).active().approved()
    blocked = rows.with_open_findings(severity=Severity.ERROR)
    return tuple(blocked.order_by("uid_order").values_list("uid", flat=True))


def reported_uids(project: Project) -> tuple[str, ...]:
    """Approved items whose text carries what a reader reported, not dismissed, by uid."""
    rows = Item.objects.filter(project=project).active().approved()
    found = rows.with_open_findings(code=REPORTED)
    return tuple(found.order_by("uid_order").values_list("uid", flat=True))


def disputed_uids(project: Project) -> tuple[str, ...]:
    """Approved items that a later round put in dispute and no senior has settled, by uid."""
    disputed = approved_items(project).filter(pk__in=disputes(project).values("item"))
    return tuple(disputed.order_by("uid_order").values_list("uid", flat=True))


def unfit_uids(project: Project) -> tuple[str, ...]:
    """Approved items that no release can hold.

    A choice needs two to ten options and a key among them, any other kind has no options.
    """
    counted = approved_items(project).alias(
        option_count=JsonLength("working_translation__current_revision__options")
    )
    is_fit = Q(option_count=0) & ~Q(kind=ItemKind.CHOICE)
    for count in range(MIN_OPTIONS, MAX_OPTIONS + 1):
        is_fit |= Q(kind=ItemKind.CHOICE, option_count=count, key__in=letters_of(count))
    return tuple(counted.exclude(is_fit).order_by("uid_order").values_list("uid", flat=True))


def counts_by_subject(project: Project) -> dict[str, tuple[int, int]]:
    """Approved test and dev items of each subject that has any, by slug."""
    tests, devs = _counts_by_subject(project)
    slugs = dict(project.subjects.values_list("pk", "slug"))
    found = {slugs[pk]: (tests[pk], devs[pk]) for pk in {*tests, *devs}}
    return dict(sorted(found.items()))


def open_split_leaks(project: Project) -> QuerySet[DuplicatePair]:
    """Open duplicate pairs between an approved dev item and an approved test item."""
    approved = approved_items(project).values("pk")
    pairs = cross_split_pairs(project).filter(a__in=approved, b__in=approved)
    return pairs.select_related("a", "b").order_by("a__uid_order", "b__uid_order", "pk")


def open_pairs(project: Project) -> QuerySet[DuplicatePair]:
    """Undecided duplicate pairs of which both items would be in the release."""
    approved = approved_items(project).values("pk")
    return DuplicatePair.objects.filter(
        project=project, state=PairState.OPEN, a__in=approved, b__in=approved
    )


def open_pair_names(project: Project) -> tuple[str, ...]:
    """The undecided pairs by their uids; one found on both sides of the text is one."""
    rows = open_pairs(project).order_by("a__uid_order", "b__uid_order", "pk")
    return tuple(dict.fromkeys(f"{a} ~ {b}" for a, b in rows.values_list("a__uid", "b__uid")))


def leaking_pairs(release: Release) -> QuerySet[DuplicatePair]:
    """Pairs that are or may be duplicates and that the release puts in different places.

    That is one item in dev and the other in test, or one open and the other in the black box.
    """
    a, b = "a__release_items", "b__release_items"
    places = [(SplitName.DEV, SplitName.TEST), (Subset.OPEN, Subset.BLACK_BOX)]
    is_apart = Q()  # written without negations, which would not be about the same two rows
    for field, (one, other) in zip(("split", "subset"), places, strict=True):
        is_apart |= Q(**{f"{a}__{field}": one, f"{b}__{field}": other})
        is_apart |= Q(**{f"{a}__{field}": other, f"{b}__{field}": one})
    rows = DuplicatePair.objects.filter(
        is_apart,
        **{f"{a}__release": release, f"{b}__release": release},
        project=release.project_id,
        state__in=[PairState.OPEN, PairState.DUPLICATE],
    )
    return rows.select_related("a", "b").order_by("a__uid_order", "b__uid_order", "pk")


def earlier_subsets(project: Project) -> tuple[frozenset[str], frozenset[str]]:
    """Uids of items that public releases showed, and of those that they hid."""
    rows = ReleaseItem.objects.filter(release__in=Release.objects.filter(project=project).public())
    found: dict[str, set[str]] = {Subset.OPEN: set(), Subset.BLACK_BOX: set()}
    for uid, subset in rows.values_list("uid", "subset").distinct():
        found[subset].add(uid)
    return frozenset(found[Subset.OPEN]), frozenset(found[Subset.BLACK_BOX])


def latest_public_version(project: Project) -> Version | None:
    """The highest version that is or was published."""
    versions = Release.objects.filter(project=project).public().values_list("version", flat=True)
    return max(map(parse_version, versions), key=lambda version: version.precedence, default=None)


def highest_version(project: Project) -> Version | None:
    """The highest version that the project has, published or not."""
    versions = Release.objects.filter(project=project).values_list("version", flat=True)
    return max(map(parse_version, versions), key=lambda version: version.precedence, default=None)


def unfinished_build(
    project: Project, *, version: str, rule: SplitRule, formats: Sequence[str], notes: str
) -> Release | None:
    """The build of `version` with just these parameters that was begun and has not ended."""
    rows = Release.objects.filter(
        project=project,
        state=ReleaseState.BUILDING,
        version=version,
        dev_per_subject=rule.dev_per_subject,
        black_box_share=rule.black_box_share,
        seed=rule.seed,
        dev_from=rule.dev_from,
        notes=notes.strip(),
    )
    found: Release | None = rows.select_related("project", "job").first()
    return found if found and found.formats == sorted(set(formats)) else None


def build_preview(project: Project, rule: SplitRule) -> BuildPreview:
    """Say what a build by `rule` would contain, from counts and duplicates alone."""
    tests, devs = _counts_by_subject(project)
    opened = opened_tests(project)
    clusters = clusters_of(project)
    doubled = _dev_duplicates_of_tests(project, clusters)
    subjects = Subject.objects.filter(project=project, pk__in={*tests, *devs}).order_by("slug")
    return BuildPreview(
        subjects=tuple(
            _subject_preview(
                subject.name,
                tests=tests[subject.pk],
                devs=devs[subject.pk],
                doubled=doubled[subject.pk],
                opened=opened.get(subject.pk, 0),
                rule=rule,
            )
            for subject in subjects
        ),
        has_clusters=bool(clusters),
    )


def _counts_by_subject(project: Project) -> tuple[dict[int, int], dict[int, int]]:
    """Approved test and dev items of each subject."""
    counts = approved_items(project).values_list("subject_id", "split").annotate(Count("pk"))
    tests: dict[int, int] = defaultdict(int)
    devs: dict[int, int] = defaultdict(int)
    for subject_id, split, number in counts.order_by("subject_id", "split"):
        (devs if split == SplitName.DEV else tests)[subject_id] = number
    return tests, devs


def _dev_duplicates_of_tests(project: Project, clusters: Mapping[int, int]) -> Counter[int]:
    """By subject the approved dev items whose cluster holds an approved test item."""
    if not clusters:
        return Counter()
    rows = list(approved_items(project).values_list("pk", "subject_id", "split"))
    tested = {clusters[pk] for pk, _, split in rows if split != SplitName.DEV and pk in clusters}
    return Counter(
        subject
        for pk, subject, split in rows
        if split == SplitName.DEV and clusters.get(pk) in tested
    )


def opened_tests(project: Project) -> dict[int, int]:
    """By subject, how many approved test items are public already."""
    shown = ReleaseItem.objects.filter(
        release__in=Release.objects.filter(project=project).public(), subset=Subset.OPEN
    )
    rows = approved_items(project).filter(split=SplitName.TEST, pk__in=shown.values("item"))
    counts = rows.values_list("subject_id").annotate(Count("pk"))
    return dict(counts.order_by("subject_id"))


def _subject_preview(
    name: str, *, tests: int, devs: int, doubled: int, opened: int, rule: SplitRule
) -> SubjectPreview:
    own = 0 if rule.dev_from == CARVED else min(devs - doubled, rule.dev_per_subject)
    taken = devs if rule.dev_from == BOTH else 0
    wanted = 0 if rule.dev_from == SOURCE else rule.dev_per_subject - taken
    carved = max(0, min(wanted, tests - 1))
    quota = black_box_quota(tests=tests - carved, share=rule.black_box_share, opened=opened)
    return SubjectPreview(
        name=name,
        test=tests - carved,
        dev=own + carved,
        black_box=quota,
        left_out=devs - own,
        is_short_of_dev=own + carved < rule.dev_per_subject,
    )


def project_details(project: Project) -> Details:
    """What managers say about the data set now."""
    row = ReleaseDetails.objects.filter(project=project).first()
    if row is None:
        return Details()
    said = {name: row.prose[name] for name in PROSE if row.prose.get(name)}
    authors = read_authors(row.authors)
    return Details(row.title, authors, row.doi, row.url, row.licence, said)


def carving_of(project: Project) -> Carving:
    """Test items that the latest public release gives as dev items, and those with explanations."""
    latest = str(latest_public_version(project))
    before = ReleaseItem.objects.filter(release__project=project, release__version=latest)
    tests = approved_items(project).filter(split=SplitName.TEST)
    carved = before.filter(split=SplitName.DEV, item__split=SplitName.TEST)
    return Carving(
        carved=frozenset(carved.values_list("uid", flat=True)),
        explained=frozenset(tests.exclude(explanation="").values_list("uid", flat=True)),
    )


def duplicates_removed(project: Project) -> int:
    """Excluded items that were found to be a duplicate of another."""
    excluded = Item.objects.filter(project=project, state=ItemState.EXCLUDED)
    pairs = DuplicatePair.objects.filter(project=project, state=PairState.DUPLICATE)
    found = excluded.filter(Q(pk__in=pairs.values("a")) | Q(pk__in=pairs.values("b")))
    return int(found.count())


def waived_in(release: Release) -> Waived:
    """What the waivers of a release cover."""
    return waived_by(release.waivers.order_by("code").values_list("code", "problems", "uids"))


def waiver_notes(release: Release, placements: Iterable[Placement[Any]]) -> list[WaiverNote]:
    """The waivers of a release as it tells them, with how many of its items each concerns."""
    uids = {place.uid for place in placements}
    return [
        WaiverNote(
            code=waiver.code,
            reason=waiver.reason,
            role=waiver.role,
            day=waiver.waived_at.astimezone(UTC).date().isoformat(),
            problems=len(waiver.problems),
            items=len(uids.intersection(waiver.uids)),
        )
        for waiver in release.waivers.order_by("code")
    ]


def uid_list(uids: Sequence[str], *, limit: int = 20) -> str:
    """The first uids for a sentence."""
    shown = ", ".join(uids[:limit])
    return f"{shown}, …" if len(uids) > limit else shown
