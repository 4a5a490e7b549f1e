"""Report what blocks a release of a project, and what a manager should know before it."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotation.enums import SplitName
from projects.models import Membership, Project
from releases.enums import DevSource, HiddenPart
from releases.models import Release, ReleaseItem
from releases.readiness.counts import ApprovedCounts, approved_counts, told
from releases.readiness.matters import SENIORS, SENIORS_AND_MANAGERS, Matter, people_who_can
from releases.readiness.queries import (
    approved_items,
    blocked_uids,
    disputed_uids,
    highest_version,
    latest_public_version,
    leaking_pairs,
    open_pairs,
    open_split_leaks,
    reported_uids,
    simulated_uids,
    unfit_uids,
    version_with_texts,
)
from releases.readiness.source_licences import LicenceState, licence_state
from releases.splits import EVERYTHING, black_box_quota
from releases.versions import Change, Version, next_version, proposed_version

DEV_WANTED = 5


class OfSubject(NamedTuple):
    """The approved items of a subject; `public` of its tests come from a public source."""

    tests: int
    devs: int
    public: int


@dataclass(frozen=True, slots=True)
class Hiding:
    """The share of the tests to hide, and one of HiddenPart."""

    share: float
    part: str


@dataclass(frozen=True, slots=True)
class Readiness:
    """The matters that block a release and that warn, and the version that fits the changes.

    What blocks and can be waived (`Matter.can_waive`) blocks until a build waives it.
    """

    blocking: tuple[Matter, ...]
    warnings: tuple[Matter, ...]
    proposed_version: str

    @property
    def is_ready(self) -> bool:
        return not self.blocking

    @property
    def can_be_built(self) -> bool:
        """Return whether nothing is in the way that cannot be waived."""
        return all(each.can_waive for each in self.blocking)

    @property
    def waivable(self) -> tuple[Matter, ...]:
        return tuple(each for each in (*self.blocking, *self.warnings) if each.can_waive)

    def as_json(self) -> dict[str, Any]:
        return {
            "blocking": [each.as_json() for each in self.blocking],
            "warnings": [each.as_json() for each in self.warnings],
            "proposed_version": self.proposed_version,
        }


def readiness(
    project: Project, *, black_box_share: float | None = None, hidden_part: str | None = None
) -> Readiness:
    """Return everything that a build would refuse, and what it would take without asking.

    `black_box_share` is what the build would hide, `hidden_part` how; without them, as the latest
    release does.
    """
    hiding, counts = _hiding(project, black_box_share, hidden_part), approved_counts(project)
    members, licences = _names_by_role(project), licence_state(project)
    blocking, warnings = (
        tuple(replace(each, people=people_who_can(each, members)) for each in matters)
        for matters in (
            (*_blocking(project, licences), *_texts_published(project, hiding)),
            (*_warnings(project, licences, counts), *_hiding_matters(project, hiding, counts)),
        )
    )
    return Readiness(blocking, warnings, proposed_version=version_for(project))


def _names_by_role(project: Project) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    rows = Membership.objects.filter(project=project, is_paused=False, user__is_active=True)
    for role, name in rows.order_by("user__name", "pk").values_list("role", "user__name"):
        found[role].append(name)
    return found


def version_for(project: Project) -> str:
    """Return the version that fits what has changed since the latest public release.

    An item that is gone, or whose key or split changed, makes results differ: major. New items:
    minor. Other texts: patch. It is above every version that the project has.
    """
    latest, highest = latest_public_version(project), highest_version(project)
    change = _change_since(project, latest) if latest else Change.ADDED
    fitting = proposed_version(latest, change)
    if highest and fitting.precedence <= highest.precedence:
        return str(next_version(highest))
    return str(fitting)


def _change_since(project: Project, version: Version) -> Change:
    """Return the greatest change; dev items that a release had no room for are none."""
    before = ReleaseItem.objects.filter(release__project=project, release__version=str(version))
    now = approved_items(project)
    carved = Q(split=SplitName.DEV, item__split=SplitName.TEST)
    is_there = Q(split=F("item__split")) | carved & ~Q(release__dev_from=DevSource.SOURCE)
    is_same = is_there & Q(item_key=F("item__key"))
    if before.exclude(is_same).exists() or before.exclude(item__in=now.values("pk")).exists():
        return Change.BREAKING
    tests = now.filter(split=SplitName.TEST)
    return Change.ADDED if tests.exclude(pk__in=before.values("item")).exists() else Change.TEXTS


def _blocking(project: Project, licences: LicenceState) -> Iterator[Matter]:
    for matters in (
        _nothing_approved,
        _open_errors,
        _open_disputes,
        _items_unfit,
        _pairs_across,
        _open_pairs,
        _simulated_judgements,
    ):
        yield from matters(project)
    yield from _licence_conflicts(project, licences)


def _nothing_approved(project: Project) -> Iterator[Matter]:
    if not approved_items(project).exists():
        yield Matter(
            "nothing_approved",
            _("No items have been approved yet."),
            (),
            reverse("review:rounds", args=[project.slug]),
            _("Managers close rounds, seniors settle disputes."),
            SENIORS_AND_MANAGERS,
        )


def _open_errors(project: Project) -> Iterator[Matter]:
    if uids := told(project, blocked_uids):
        yield Matter(
            "open_errors",
            _("Approved items whose text has an error."),
            uids,
            reverse("annotation:findings", args=[project.slug]),
            _("Seniors and managers correct the text, or dismiss the finding with a reason."),
            SENIORS_AND_MANAGERS,
            uids,
        )


def _simulated_judgements(project: Project) -> Iterator[Matter]:
    if uids := told(project, simulated_uids):
        yield Matter(
            "simulated_judgements",
            _("Approved items that a program judged, not people."),
            uids,
            reverse("review:rounds", args=[project.slug]),
            _("Managers let people judge them, or waive it: every file then says so."),
            uids=uids,
        )


def _open_disputes(project: Project) -> Iterator[Matter]:
    if uids := disputed_uids(project):
        yield Matter(
            "open_disputes",
            _("Approved items that a later round put in dispute."),
            uids,
            reverse("review:disputes", args=[project.slug]),
            _("Seniors settle disputes."),
            SENIORS,
            uids,
        )


def _items_unfit(project: Project) -> Iterator[Matter]:
    if uids := told(project, unfit_uids):
        yield Matter(
            "items_unfit",
            _(
                "Approved items that do not have two to ten options or whose key names none of "
                "them, and items of another kind that have options."
            ),
            uids,
            reverse("annotation:items", args=[project.slug]),
            _("Managers correct or exclude them."),
            uids=uids,
        )


def _pairs_across(project: Project) -> Iterator[Matter]:
    rows = open_split_leaks(project)
    if pairs := tuple(dict.fromkeys(f"{pair.a.uid} ~ {pair.b.uid}" for pair in rows)):
        yield Matter(
            "duplicates_across",
            _("Possible duplicates with one item in dev and the other in test."),
            pairs,
            f"{reverse('annotation:duplicates', args=[project.slug])}?splits=across",
            _("Managers decide each pair."),
        )


def _open_pairs(project: Project) -> Iterator[Matter]:
    if pairs := open_pairs(project):
        yield Matter(
            "open_duplicates",
            _(
                "Possible duplicates that nobody has decided on. They stay on one side of each "
                "split."
            ),
            tuple(f"{a} ~ {b}" for a, b in pairs),
            reverse("annotation:duplicates", args=[project.slug]),
            _("Managers decide each pair."),
            uids=tuple(dict.fromkeys(uid for pair in pairs for uid in pair)),
        )


def _warnings(
    project: Project, licences: LicenceState, approved: ApprovedCounts
) -> Iterator[Matter]:
    counts = _by_slug(project, approved)
    yield from _leaks_in_latest(project)
    yield from _problems_reported(project)
    yield from _missing_dev(project, counts)
    yield from _category_matters(project, counts)
    yield from _licence_matters(project, licences)


def _problems_reported(project: Project) -> Iterator[Matter]:
    if reported := reported_uids(project):
        yield Matter(
            "problems_reported",
            _("Approved items with a problem that a reader of an earlier release reported."),
            reported,
            reverse("releases:problems", args=[project.slug]),
            _("Seniors and managers accept or dismiss each report, and correct the item."),
            SENIORS_AND_MANAGERS,
            reported,
        )


def _missing_dev(project: Project, counts: Mapping[str, OfSubject]) -> Iterator[Matter]:
    if short := _short_of_dev(counts):
        yield Matter(
            "missing_dev",
            _("Subjects with fewer than five dev items to serve as examples."),
            short,
            reverse("annotation:items", args=[project.slug]),
            _("Managers import dev items, or have some carved from the test items."),
        )


def _category_matters(project: Project, slugs: Collection[str]) -> Iterator[Matter]:
    items = reverse("annotation:items", args=[project.slug])
    if lacking := _without_category(project, slugs):
        yield Matter(
            "missing_category",
            _("Subjects without a category, while others have one. Tables by category lack them."),
            lacking,
            items,
            _("Managers import the items again with a category."),
        )
    if unlike := _unlike_categories(project, slugs):
        yield Matter(
            "wrong_category",
            _(
                "Categories that differ only in upper and lower case or in spaces. Tables count "
                "them as different."
            ),
            unlike,
            items,
            _("Managers import the items again with the right category."),
        )


def _leaks_in_latest(project: Project) -> Iterator[Matter]:
    """Find duplicates since the latest release that it has on both sides of a split."""
    version = latest_public_version(project)
    release = Release.objects.filter(project=project, version=str(version)).first()
    rows = leaking_pairs(release) if release else ()
    if pairs := tuple(dict.fromkeys(f"{pair.a.uid} ~ {pair.b.uid}" for pair in rows)):
        yield Matter(
            "leaks_in_latest",
            _(
                "Possible duplicates that the latest release has in both dev and test, or in both "
                "the open and the hidden part. The next one keeps each pair together."
            ),
            pairs,
            reverse("annotation:duplicates", args=[project.slug]),
            _("Managers decide each pair."),
        )


def _hiding(project: Project, share: float | None, part: str | None) -> Hiding:
    """Return what a build would hide; what is not said is as in the latest release."""
    if share is not None and part is not None:
        return Hiding(share, part)
    latest = latest_hiding(project)
    return Hiding(latest.share if share is None else share, part or latest.part)


def latest_hiding(project: Project) -> Hiding:
    """Return what the latest public release hides, and how."""
    version = latest_public_version(project)
    rows = Release.objects.filter(project=project, version=str(version))
    found = rows.values_list("black_box_share", "hidden_part").first()
    return Hiding(*found) if found else Hiding(0.0, HiddenPart.CLOSED)


def _texts_published(project: Project, hiding: Hiding) -> Iterator[Matter]:
    """Find that items would be closed although an earlier release published their texts."""
    if not hiding.share or hiding.part != HiddenPart.CLOSED:
        return
    if version := version_with_texts(project):
        yield Matter(
            "texts_published",
            _("A release published the texts of hidden items, so they cannot be closed again."),
            (version,),
            reverse("releases:build", args=[project.slug]),
            _("Managers choose that only answers are withheld, or hide nothing."),
        )


def _hiding_matters(project: Project, hiding: Hiding, approved: ApprovedCounts) -> Iterator[Matter]:
    """Find that every test is hidden, and hidden items whose source is public, at most, by subject."""
    share, is_withheld = hiding.share, hiding.part == HiddenPart.WITHHELD
    if not share:
        return
    counts = _by_slug(project, approved)
    if share >= EVERYTHING and not approved.opened:
        yield from _every_test_hidden(project, counts, is_withheld=is_withheld)
    quotas = {
        slug: black_box_quota(tests=each.tests, share=share, opened=0)
        for slug, each in counts.items()
    }
    hidden = {slug: min(each.public, quotas[slug]) for slug, each in counts.items() if each.public}
    if any(hidden.values()):
        yield Matter(
            "hidden_source_public",
            _(
                "Items with withheld answers whose source is public. Anyone can match their texts "
                "with the source and look up the keys: a high score on these items proves little. "
                "Only items that are in no public source are worth withholding."
            )
            if is_withheld
            else _(
                "Hidden items whose source is public. Hiding keeps their translation and their "
                "place in this benchmark secret, so that no model learns these texts. Anyone can "
                "look up the question and key in the source: results on these items show what a "
                "model does with texts that it has not seen, not with facts that it has not seen."
            ),
            tuple(f"{slug}: {number}" for slug, number in hidden.items() if number),
            reverse("projects:sources", args=[project.slug]),
            _("Managers can choose to hide the items that experts wrote or changed first."),
        )


def _every_test_hidden(
    project: Project, counts: Mapping[str, OfSubject], *, is_withheld: bool
) -> Iterator[Matter]:
    yield Matter(
        "every_test_hidden",
        _(
            "The answers to every test item will be withheld. Nobody can score a model with the "
            "files alone: people send answers to this server. The tasks for "
            "lm-evaluation-harness and Inspect are left out."
        )
        if is_withheld
        else _(
            "Every test item will be hidden. Nobody can score a model with the files alone: managers "
            "run models on the hidden items. The tasks for lm-evaluation-harness and Inspect are "
            "left out, and so are all data files of a subject without dev items."
        ),
        tuple(f"{slug}: {each.tests}" for slug, each in counts.items() if each.tests),
        reverse("releases:build", args=[project.slug]),
        _("Managers choose the share to hide."),
    )


def _by_slug(project: Project, counts: ApprovedCounts) -> dict[str, OfSubject]:
    """Return the counts of each subject that has approved items, by slug."""
    rows = project.subjects.filter(pk__in={*counts.tests, *counts.devs})
    return {
        slug: OfSubject(*(found.get(pk, 0) for found in (counts.tests, counts.devs, counts.public)))
        for slug, pk in rows.order_by("slug").values_list("slug", "pk")
    }


def _short_of_dev(counts: Mapping[str, OfSubject]) -> tuple[str, ...]:
    return tuple(slug for slug, each in counts.items() if each.devs < DEV_WANTED)


def _without_category(project: Project, slugs: Collection[str]) -> tuple[str, ...]:
    found = dict(project.subjects.filter(slug__in=slugs).values_list("slug", "category"))
    if not any(found.values()):
        return ()
    return tuple(sorted(slug for slug, category in found.items() if not category))


def _unlike_categories(project: Project, slugs: Collection[str]) -> tuple[str, ...]:
    """Return the spellings of each category that has more than one."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = project.subjects.filter(slug__in=slugs).exclude(category="")
    for category in rows.values_list("category", flat=True):
        found["".join(category.split()).casefold()].add(category)
    return tuple(
        " ~ ".join(sorted(spellings))
        for _plain, spellings in sorted(found.items())
        if len(spellings) > 1
    )


def _licence_conflicts(project: Project, licences: LicenceState) -> Iterator[Matter]:
    if names := licences.conflicting:
        yield Matter(
            "licence_conflict",
            _(
                "Sources whose licence conflicts with that of the release: they ask for the same "
                "licence, or forbid commercial use or derived works."
            ),
            names,
            reverse("releases:details", args=[project.slug]),
            _("Managers choose the licence of the release, or edit the sources."),
        )


def _licence_matters(project: Project, found: LicenceState) -> Iterator[Matter]:
    sources = reverse("projects:sources", args=[project.slug])
    who = _("Managers edit the sources.")
    if found.missing:
        yield Matter(
            "licence_missing", _("Sources without a licence."), found.missing, sources, who
        )
    if found.unknown:
        words = _(
            "Sources without an address whose licence has no id on the Hugging Face Hub: the card"
            " can name such a licence only with a link."
        )
        yield Matter("licence_unknown", words, found.unknown, sources, who)
    if found.differing:
        differing = _(
            "Sources with different licences, and none chosen for the release. All of them allow "
            "%(licence)s."
        ) % {"licence": found.fitting or "–"}
        details = reverse("releases:details", args=[project.slug])
        choose = _("Managers choose the licence of the release.")
        yield Matter("licences_differ", differing, found.differing, details, choose)
