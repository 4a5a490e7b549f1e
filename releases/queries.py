"""Questions about releases: who sees which, what a build would hold, what a release holds."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from accounts.models import User
from annotation.enums import PairState, Severity, SplitName
from annotation.models import DuplicatePair, Item, Project, Subject
from releases.enums import ReleaseState, Subset
from releases.models import Release, ReleaseItem
from releases.querysets import ReleaseQuerySet
from releases.splits import SplitRule, black_box_quota
from releases.versions import Version, next_version, parse_version
from review.queries import disputes


@dataclass(frozen=True, slots=True)
class ChosenText:
    """An approved item with the revision that a release would take."""

    item_id: int
    revision_id: int
    uid: str
    subject: str
    is_dev: bool
    key: str
    option_count: int


@dataclass(frozen=True, slots=True)
class SubjectPreview:
    """What a build would take of a subject; `left_out` are dev items beyond the wanted number."""

    name: str
    test: int
    dev: int
    black_box: int
    left_out: int
    is_short_of_dev: bool


@dataclass(frozen=True, slots=True)
class BuildPreview:
    """What a build would hold, and what stands in its way: errors and disputes block, the rest is said."""

    subjects: tuple[SubjectPreview, ...]
    blocked_uids: tuple[str, ...]
    disputed_uids: tuple[str, ...]
    open_pairs: int

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


def release_items(release: Release) -> QuerySet[ReleaseItem]:
    """Everything in the release with item, subject and revision, in the order of the files."""
    return release.items.select_related("item__subject", "revision").order_by("position", "pk")


def example_item(release: Release) -> ReleaseItem | None:
    """The first open item, to show what the release is like."""
    return release_items(release).filter(subset=Subset.OPEN).first()


def approved_items(project: Project) -> QuerySet[Item]:
    """Items whose current text is approved: what a release is made of."""
    rows: QuerySet[Item] = Item.objects.filter(project=project).active().approved()
    return rows


def chosen_texts(project: Project) -> list[ChosenText]:
    """Every approved item with its current revision, by uid; one query."""
    revision = "working_translation__current_revision"
    rows = approved_items(project).values_list(
        "pk", f"{revision}_id", "uid", "subject__slug", "split", "key", f"{revision}__options"
    )
    return [
        ChosenText(pk, revision_id, uid, subject, split == SplitName.DEV, key, len(options))
        for pk, revision_id, uid, subject, split, key, options in rows.order_by("uid")
    ]


def blocked_uids(project: Project) -> tuple[str, ...]:
    """Approved items whose text has an error finding that nobody dismissed, by uid."""
    rows = Item.objects.filter(project=project).active().approved()
    blocked = rows.with_open_findings(severity=Severity.ERROR)
    return tuple(blocked.order_by("uid").values_list("uid", flat=True))


def disputed_uids(project: Project) -> tuple[str, ...]:
    """Approved items that a later round put in dispute and no senior has settled, by uid."""
    disputed = approved_items(project).filter(pk__in=disputes(project).values("item"))
    return tuple(disputed.order_by("uid").values_list("uid", flat=True))


def earlier_subsets(project: Project) -> tuple[frozenset[str], frozenset[str]]:
    """Uids of items that public releases showed, and of those that they hid."""
    rows = ReleaseItem.objects.filter(release__in=Release.objects.filter(project=project).public())
    found: dict[str, set[str]] = {Subset.OPEN: set(), Subset.BLACK_BOX: set()}
    for uid, subset in rows.values_list("item__uid", "subset").distinct():
        found[subset].add(uid)
    return frozenset(found[Subset.OPEN]), frozenset(found[Subset.BLACK_BOX])


def latest_public_version(project: Project) -> Version | None:
    """The highest version that is or was published."""
    versions = Release.objects.filter(project=project).public().values_list("version", flat=True)
    return max(map(parse_version, versions), key=lambda version: version.precedence, default=None)


def suggested_version(project: Project) -> str:
    """A version above every one that the project has."""
    versions = Release.objects.filter(project=project).values_list("version", flat=True)
    latest = max(map(parse_version, versions), key=lambda version: version.precedence, default=None)
    return str(next_version(latest))


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
        notes=notes.strip(),
    )
    found: Release | None = rows.select_related("project", "job").first()
    return found if found and found.formats == sorted(set(formats)) else None


def build_preview(project: Project, rule: SplitRule) -> BuildPreview:
    """Say what a build by `rule` would hold, from counts alone: its cost is six queries."""
    counts = approved_items(project).values_list("subject_id", "split").annotate(Count("pk"))
    tests: dict[int, int] = defaultdict(int)
    devs: dict[int, int] = defaultdict(int)
    for subject_id, split, number in counts.order_by("subject_id", "split"):
        (devs if split == SplitName.DEV else tests)[subject_id] = number
    opened = _opened_tests(project)
    subjects = Subject.objects.filter(project=project, pk__in={*tests, *devs}).order_by("slug")
    return BuildPreview(
        subjects=tuple(
            _subject_preview(
                subject.name,
                tests=tests[subject.pk],
                devs=devs[subject.pk],
                opened=opened.get(subject.pk, 0),
                rule=rule,
            )
            for subject in subjects
        ),
        blocked_uids=blocked_uids(project),
        disputed_uids=disputed_uids(project),
        open_pairs=_open_pairs(project),
    )


def _opened_tests(project: Project) -> dict[int, int]:
    """By subject, how many approved test items are public already."""
    shown = ReleaseItem.objects.filter(
        release__in=Release.objects.filter(project=project).public(), subset=Subset.OPEN
    )
    rows = approved_items(project).filter(split=SplitName.TEST, pk__in=shown.values("item"))
    counts = rows.values_list("subject_id").annotate(Count("pk"))
    return dict(counts.order_by("subject_id"))


def _subject_preview(
    name: str, *, tests: int, devs: int, opened: int, rule: SplitRule
) -> SubjectPreview:
    dev = min(devs, rule.dev_per_subject)
    return SubjectPreview(
        name=name,
        test=tests,
        dev=dev,
        black_box=black_box_quota(tests=tests, share=rule.black_box_share, opened=opened),
        left_out=devs - dev,
        is_short_of_dev=devs < rule.dev_per_subject,
    )


def _open_pairs(project: Project) -> int:
    """Undecided duplicate pairs of which both items would be in the release."""
    approved = approved_items(project).values("pk")
    return DuplicatePair.objects.filter(
        project=project, state=PairState.OPEN, a__in=approved, b__in=approved
    ).count()


def uid_list(uids: Sequence[str], *, limit: int = 20) -> str:
    """The first uids for a sentence."""
    shown = ", ".join(uids[:limit])
    return f"{shown}, …" if len(uids) > limit else shown
