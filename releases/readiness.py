"""Whether a project can be released: what blocks a build, what a manager should know before it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.enums import SplitName
from projects.models import Project
from releases.hiding import public_tests_by_subject
from releases.models import Release, ReleaseItem
from releases.queries import (
    approved_items,
    blocked_uids,
    counts_by_subject,
    disputed_uids,
    highest_version,
    latest_public_version,
    open_pairs,
    open_split_leaks,
    unfit_uids,
)
from releases.splits import black_box_quota
from releases.versions import Change, Version, next_version, proposed_version

DEV_WANTED = 5


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that blocks a release or should be known before it.

    `items` are uids, pairs of uids, or names of subjects and sources. `who` is the role that can do
    something about it and `url` the page where they do.
    """

    code: str
    words: Promise
    items: tuple[str, ...]
    url: str
    who: Promise

    @property
    def count(self) -> int:
        return max(1, len(self.items))

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "count": self.count,
            "items": list(self.items),
            "detail": str(self.words),
            "url": self.url,
        }


@dataclass(frozen=True, slots=True)
class Readiness:
    """What blocks a release, what warns, and the version that fits what has changed."""

    blocking: tuple[Matter, ...]
    warnings: tuple[Matter, ...]
    proposed_version: str

    @property
    def is_ready(self) -> bool:
        return not self.blocking

    def as_json(self) -> dict[str, Any]:
        return {
            "blocking": [each.as_json() for each in self.blocking],
            "warnings": [each.as_json() for each in self.warnings],
            "proposed_version": self.proposed_version,
        }


def readiness(project: Project, *, black_box_share: float | None = None) -> Readiness:
    """Everything that a build would refuse, and what it would take without asking.

    `black_box_share` is what the build would hide; without it, what the latest release hides.
    """
    share = latest_share(project) if black_box_share is None else black_box_share
    return Readiness(
        blocking=tuple(_blocking(project)),
        warnings=(*_warnings(project), *_hiding_matters(project, share)),
        proposed_version=version_for(project),
    )


def version_for(project: Project) -> str:
    """The version that fits what has changed since the latest public release.

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
    """What differs most; dev items that a release had no room for are no difference."""
    before = ReleaseItem.objects.filter(release__project=project, release__version=str(version))
    now = approved_items(project)
    is_same = Q(key=F("item__key"), split=F("item__split"))
    if before.exclude(is_same).exists() or before.exclude(item__in=now.values("pk")).exists():
        return Change.BREAKING
    tests = now.filter(split=SplitName.TEST)
    return Change.ADDED if tests.exclude(pk__in=before.values("item")).exists() else Change.TEXTS


def _blocking(project: Project) -> Iterator[Matter]:
    here = project.slug
    items = reverse("annotation:items", args=[here])
    if not approved_items(project).exists():
        yield Matter(
            "nothing_approved",
            _("No items have been approved yet."),
            (),
            reverse("review:rounds", args=[here]),
            _("Managers close rounds, seniors settle disputes."),
        )
    if uids := blocked_uids(project):
        yield Matter(
            "open_errors",
            _("Approved items whose text has an error."),
            uids,
            reverse("annotation:findings", args=[here]),
            _("Seniors and managers correct the text, or dismiss the finding with a reason."),
        )
    if uids := disputed_uids(project):
        yield Matter(
            "open_disputes",
            _("Approved items that a later round put in dispute."),
            uids,
            reverse("review:disputes", args=[here]),
            _("Seniors settle disputes."),
        )
    if uids := unfit_uids(project):
        yield Matter(
            "items_unfit",
            _("Approved items without two to six options, or whose key names none of them."),
            uids,
            items,
            _("Managers correct or exclude them."),
        )
    if pairs := tuple(
        dict.fromkeys(f"{pair.a.uid} ~ {pair.b.uid}" for pair in open_split_leaks(project))
    ):
        yield Matter(
            "duplicates_across",
            _("Possible duplicates with one item in dev and the other in test."),
            pairs,
            f"{reverse('annotation:duplicates', args=[here])}?splits=across",
            _("Managers decide each pair."),
        )


def _warnings(project: Project) -> Iterator[Matter]:
    here = project.slug
    pairs = open_pairs(project).select_related("a", "b").order_by("a__uid_order", "pk")
    if undecided := tuple(dict.fromkeys(f"{pair.a.uid} ~ {pair.b.uid}" for pair in pairs)):
        yield Matter(
            "open_duplicates",
            _("Possible duplicates that nobody has decided. They stay on one side of each split."),
            undecided,
            reverse("annotation:duplicates", args=[here]),
            _("Managers decide each pair."),
        )
    counts = counts_by_subject(project)
    if short := _short_of_dev(counts):
        yield Matter(
            "missing_dev",
            _("Subjects with fewer than five dev items to serve as examples."),
            short,
            reverse("annotation:items", args=[here]),
            _("Managers import dev items."),
        )
    if lacking := _without_category(project, counts):
        yield Matter(
            "missing_category",
            _("Subjects without a category, while others have one. Tables by category lack them."),
            lacking,
            reverse("annotation:items", args=[here]),
            _("Managers import the items again with a category."),
        )
    yield from _licence_matters(project)


def latest_share(project: Project) -> float:
    """The share of the tests that the latest public release hides."""
    version = latest_public_version(project)
    rows = Release.objects.filter(project=project, version=str(version))
    return rows.values_list("black_box_share", flat=True).first() or 0.0


def _hiding_matters(project: Project, share: float) -> Iterator[Matter]:
    """Hidden items of which anybody can look up the source, by subject, at most."""
    if not share:
        return
    counts = counts_by_subject(project)
    public = public_tests_by_subject(project)
    hidden = {
        slug: min(number, black_box_quota(tests=counts[slug][0], share=share, opened=0))
        for slug, number in public.items()
    }
    if any(hidden.values()):
        yield Matter(
            "hidden_source_public",
            _(
                "Hidden items whose source is public. Hiding keeps their translation and their "
                "place in this benchmark secret, so that no model learns these texts. Question and "
                "key of the source can be looked up: results on them show what a model does with "
                "texts that it has not seen, not with facts that it has not seen."
            ),
            tuple(f"{slug}: {number}" for slug, number in hidden.items() if number),
            reverse("projects:sources", args=[project.slug]),
            _("Managers can have items hidden first that experts wrote or changed."),
        )


def _short_of_dev(counts: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    return tuple(slug for slug, (_tests, devs) in counts.items() if devs < DEV_WANTED)


def _without_category(project: Project, slugs: Collection[str]) -> tuple[str, ...]:
    found = dict(project.subjects.filter(slug__in=slugs).values_list("slug", "category"))
    if not any(found.values()):
        return ()
    return tuple(sorted(slug for slug, category in found.items() if not category))


def _licence_matters(project: Project) -> Iterator[Matter]:
    licences = dict(project.sources.order_by("name", "pk").values_list("name", "licence"))
    sources = reverse("projects:sources", args=[project.slug])
    who = _("Managers edit the sources.")
    if unknown := tuple(name for name, licence in licences.items() if not licence.strip()):
        yield Matter("licence_missing", _("Sources without a licence."), unknown, sources, who)
    stated = {licence.strip() for licence in licences.values() if licence.strip()}
    if len(stated) > 1:
        yield Matter(
            "licence_conflict",
            _("Sources with different licences: make sure that they may be published together."),
            tuple(f"{name}: {licence}" for name, licence in licences.items() if licence.strip()),
            sources,
            who,
        )
