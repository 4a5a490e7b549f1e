"""Preview what a build would take of each subject, from counts and duplicates alone."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from annotation.duplicates.queries import clusters_of
from annotation.enums import SplitName
from annotation.items.kept import kept_minutes
from projects.models import Project, Subject
from releases.readiness.counts import approved_counts
from releases.readiness.queries import approved_items
from releases.splits import BOTH, CARVED, SOURCE, SplitRule, black_box_quota


@dataclass(frozen=True, slots=True)
class SubjectPreview:
    """The items that a build would take of a subject.

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
    """The items that a build would take; `releases.readiness` says what blocks it.

    Where `has_clusters`, fewer items may be hidden than `black_box` says, because duplicates are
    hidden together or not at all. `kept_minutes` says how old the counts may be.
    """

    subjects: tuple[SubjectPreview, ...]
    has_clusters: bool
    kept_minutes: int | None = None

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


def build_preview(project: Project, rule: SplitRule) -> BuildPreview:
    """Return what a build by `rule` would contain, from counts and duplicates alone."""
    counts = approved_counts(project)
    tests, devs = counts.tests, counts.devs
    clusters = clusters_of(project)
    doubled = _dev_duplicates_of_tests(project, clusters)
    subjects = Subject.objects.filter(project=project, pk__in={*tests, *devs}).order_by("slug")
    return BuildPreview(
        subjects=tuple(
            _subject_preview(
                subject.name,
                tests=tests.get(subject.pk, 0),
                devs=devs.get(subject.pk, 0),
                doubled=doubled[subject.pk],
                opened=counts.opened.get(subject.pk, 0),
                rule=rule,
            )
            for subject in subjects
        ),
        has_clusters=bool(clusters),
        kept_minutes=kept_minutes(project),
    )


def _dev_duplicates_of_tests(project: Project, clusters: Mapping[int, int]) -> Counter[int]:
    """Count the approved dev items whose cluster holds an approved test item, by subject."""
    if not clusters:
        return Counter()
    rows = list(approved_items(project).values_list("pk", "subject_id", "split"))
    tested = {clusters[pk] for pk, _, split in rows if split != SplitName.DEV and pk in clusters}
    return Counter(
        subject
        for pk, subject, split in rows
        if split == SplitName.DEV and clusters.get(pk) in tested
    )


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
