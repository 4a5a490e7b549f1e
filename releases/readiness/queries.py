"""Find what a project would release, what is in the way of it, and what earlier releases showed."""

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from annotation.checks.catalogue.labels import REPORTED
from annotation.duplicates.queries import cross_split_pairs
from annotation.enums import ItemKind, PairState, Severity, SplitName
from annotation.models import DuplicatePair, Finding, Item, KeyChange
from annotation.querysets import ItemQuerySet
from common.db import JsonLength
from languages.letters import MAX_OPTIONS, MIN_OPTIONS, letters_of
from projects.models import Project, Source
from releases.enums import HiddenPart, Subset
from releases.models import Release, ReleaseItem
from releases.versions import Version, parse_version
from review.disputes.queries import disputes
from review.models import Judgement, Panel


def approved_items(project: Project) -> ItemQuerySet:
    """Return the items whose current text is approved: what a release is made of."""
    rows: ItemQuerySet = Item.objects.filter(project=project).active().approved()
    return rows


def blocked_uids(project: Project) -> tuple[str, ...]:
    """Return approved items whose text has an error finding that nobody dismissed."""
    blocked = approved_items(project).with_open_findings(severity=Severity.ERROR)
    return tuple(blocked.order_by("uid_order").values_list("uid", flat=True))


def reported_uids(project: Project) -> tuple[str, ...]:
    """Return approved items whose text carries a reader's report that nobody dismissed."""
    reports = Finding.objects.filter(code=REPORTED, dismissed_at=None)
    rows = approved_items(project).filter(pk__in=reports.values("revision__translation__item"))
    found = rows.with_open_findings(code=REPORTED)
    return tuple(found.order_by("uid_order").values_list("uid", flat=True))


def disputed_uids(project: Project) -> tuple[str, ...]:
    """Return approved items that a later round put in dispute and no senior has settled."""
    disputed = approved_items(project).filter(pk__in=disputes(project).values("item"))
    return tuple(disputed.order_by("uid_order").values_list("uid", flat=True))


def simulated_uids(project: Project) -> tuple[str, ...]:
    """Return approved items that a program judged, settled a dispute about or gave another key."""
    programs = list(User.objects.filter(is_simulated=True).values_list("pk", flat=True))
    if not programs:
        return ()
    judged = Judgement.objects.filter(reviewer__in=programs, panel__round__project=project)
    settled = Panel.objects.filter(adjudication__senior__in=programs, round__project=project)
    keyed = KeyChange.objects.filter(author__in=programs, item__project=project)
    is_simulated = Q(pk__in=judged.values("panel__item")) | Q(pk__in=settled.values("item"))
    found = approved_items(project).filter(is_simulated | Q(pk__in=keyed.values("item")))
    return tuple(found.order_by("uid_order").values_list("uid", flat=True))


def unfit_uids(project: Project) -> tuple[str, ...]:
    """Return approved items that no release can hold.

    A choice needs two to ten options and a key among them, any other kind has no options.
    """
    counted = approved_items(project).alias(
        option_count=JsonLength("working_translation__current_revision__options")
    )
    is_fit = Q(option_count=0) & ~Q(kind=ItemKind.CHOICE)
    for count in range(MIN_OPTIONS, MAX_OPTIONS + 1):
        is_fit |= Q(kind=ItemKind.CHOICE, option_count=count, key__in=letters_of(count))
    return tuple(counted.exclude(is_fit).order_by("uid_order").values_list("uid", flat=True))


def open_split_leaks(project: Project) -> QuerySet[DuplicatePair]:
    """Return open duplicate pairs between an approved dev item and an approved test item."""
    approved = approved_items(project).values("pk")
    pairs = cross_split_pairs(project).filter(a__in=approved, b__in=approved)
    return pairs.select_related("a", "b").order_by("a__uid_order", "b__uid_order", "pk")


def open_pairs(project: Project) -> tuple[tuple[str, str], ...]:
    """Return the uids of undecided pairs of approved items; a pair of both sides of the text is one."""
    approved = approved_items(project).values("pk")
    rows = DuplicatePair.objects.filter(
        project=project, state=PairState.OPEN, a__in=approved, b__in=approved
    ).order_by("a__uid_order", "b__uid_order", "pk")
    return tuple(dict.fromkeys(rows.values_list("a__uid", "b__uid")))


def leaking_pairs(release: Release) -> QuerySet[DuplicatePair]:
    """Return pairs that are or may be duplicates and that the release puts in different places.

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


def latest_public_version(project: Project) -> Version | None:
    """Return the highest version that is or was published."""
    versions = Release.objects.filter(project=project).public().values_list("version", flat=True)
    return max(map(parse_version, versions), key=lambda version: version.precedence, default=None)


def highest_version(project: Project) -> Version | None:
    """Return the highest version that the project has, published or not."""
    versions = Release.objects.filter(project=project).values_list("version", flat=True)
    return max(map(parse_version, versions), key=lambda version: version.precedence, default=None)


def tests_and_devs(project: Project) -> tuple[dict[int, int], dict[int, int]]:
    """Count approved test and dev items of each subject."""
    counts = approved_items(project).values_list("subject_id", "split").annotate(Count("pk"))
    tests: dict[int, int] = {}
    devs: dict[int, int] = {}
    for subject_id, split, number in counts.order_by("subject_id", "split"):
        counted = devs if split == SplitName.DEV else tests
        counted[subject_id] = counted.get(subject_id, 0) + number
    return tests, devs


def opened_tests(project: Project) -> dict[int, int]:
    """Count the approved test items that are public already, by subject."""
    shown = ReleaseItem.objects.filter(
        release__in=Release.objects.filter(project=project).public(), subset=Subset.OPEN
    )
    rows = approved_items(project).filter(split=SplitName.TEST, pk__in=shown.values("item"))
    counts = rows.values_list("subject_id").annotate(Count("pk"))
    return dict(counts.order_by("subject_id"))


def version_with_texts(project: Project) -> str:
    """Return a version that published the texts of hidden items, or ""."""
    rows = Release.objects.filter(project=project, hidden_part=HiddenPart.WITHHELD).public()
    hiding = rows.filter(black_box_share__gt=0).order_by("-pk")
    return hiding.values_list("version", flat=True).first() or ""


PUBLISHED = ~Q(url="") | ~Q(licence="")
"""A source that has an address or a licence was published by somebody."""


def public_sources(project: Project) -> frozenset[int]:
    """Return the sources of items that anybody can look up."""
    rows = Source.objects.filter(PUBLISHED, project=project, system="")
    return frozenset(rows.values_list("pk", flat=True))


def public_tests_by_subject(project: Project) -> dict[int, int]:
    """Count the approved test items that a public source holds, by subject."""
    rows = approved_items(project).filter(split=SplitName.TEST, source__in=public_sources(project))
    counts = rows.values_list("subject_id").annotate(Count("pk"))
    return dict(counts.order_by("subject_id"))
