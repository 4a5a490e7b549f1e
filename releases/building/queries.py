"""Read what a build needs of a project before it writes anything."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cache, partial
from typing import Any, NamedTuple

from django.db.models import Q

from annotation.asking.queries import totals_json
from annotation.enums import ItemState, PairState, SplitName
from annotation.models import DuplicatePair, Item, Revision
from annotation.translating.queries import totals_by_system
from common.db import JsonLength
from projects.models import Project
from releases.enums import ReleaseState, Subset
from releases.files.manifest import WaiverNote
from releases.models import Release, ReleaseItem
from releases.readiness.queries import approved_items, latest_public_version
from releases.readiness.waivers import Waived, waived_by
from releases.splits import Carving, Placement, SplitRule
from review.models import ExplainedItem
from review.report.tables import report_json

READ_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class TextOrigin:
    """The origin of texts; `revisions` is how many there were of each.

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
    """A candidate as freezing needs it: without its texts, because all candidates are in memory."""

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


def chosen_texts(project: Project) -> list[ChosenText]:
    """Return every approved item, in the order of the database; texts are not read."""
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
    texts = []
    for uid, subject, split, pk, key, level, kind, count, revision, *origin in columns.iterator(
        READ_AT_ONCE
    ):
        place = (uid, subjects[subject], split == SplitName.DEV)
        source = origin_of(*origin)
        shown = level or levels[subject]
        texts.append(ChosenText(*place, pk, revision, source, shown, count, kind, key))
    return texts


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


def earlier_subsets(project: Project) -> tuple[frozenset[str], frozenset[str]]:
    """Return the uids of items that public releases showed, and of those that they hid."""
    rows = ReleaseItem.objects.filter(release__in=Release.objects.filter(project=project).public())
    found: dict[str, set[str]] = {Subset.OPEN: set(), Subset.BLACK_BOX: set()}
    for uid, subset in rows.values_list("uid", "subset").distinct():
        found[subset].add(uid)
    return frozenset(found[Subset.OPEN]), frozenset(found[Subset.BLACK_BOX])


def unfinished_build(
    project: Project, *, version: str, rule: SplitRule, formats: Sequence[str], notes: str
) -> Release | None:
    """Return the unfinished build of `version` with exactly these settings."""
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


def carving_of(project: Project) -> Carving:
    """Return the tests that the latest public release carved, and those with explanations."""
    latest = str(latest_public_version(project))
    before = ReleaseItem.objects.filter(release__project=project, release__version=latest)
    tests = approved_items(project).filter(split=SplitName.TEST)
    carved = before.filter(split=SplitName.DEV, item__split=SplitName.TEST)
    return Carving(
        carved=frozenset(carved.values_list("uid", flat=True)),
        explained=frozenset(tests.exclude(explanation="").values_list("uid", flat=True)),
    )


def duplicates_removed(project: Project) -> int:
    """Count the excluded items that duplicate another."""
    excluded = Item.objects.filter(project=project, state=ItemState.EXCLUDED)
    pairs = DuplicatePair.objects.filter(project=project, state=PairState.DUPLICATE)
    found = excluded.filter(Q(pk__in=pairs.values("a")) | Q(pk__in=pairs.values("b")))
    return int(found.count())


def waived_in(release: Release) -> Waived:
    """Return what the waivers of a release cover."""
    return waived_by(release.waivers.order_by("code").values_list("code", "problems", "uids"))


def waiver_notes(release: Release, placements: Iterable[Placement[Any]]) -> list[WaiverNote]:
    """Return the waivers of a release as its files tell them, with how many of its items each concerns."""
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


def project_quality(project: Project) -> dict[str, Any]:
    """Return the figures of review's report of the project, as plain JSON.

    How a strategy ranked its candidates says nothing of the items that are released.
    """
    figures = report_json(project, table=None, as_of=None, is_named=False)
    return {name: rows for name, rows in figures.items() if name != "candidates"}


def explained_by(project: Project, texts: Sequence[ChosenText]) -> dict[str, int]:
    """Count the texts whose explanation a model wrote, by model.

    A text that was corrected later counts as long as its explanation is the model's.
    """
    columns = ("item_id", "explanation_job__model_spec__name", "made__explanation")
    made = ExplainedItem.objects.filter(explanation_job__project=project, made__isnull=False)
    authors = {
        (item, words): model for item, model, words in made.order_by("pk").values_list(*columns)
    }
    items = {item for item, _words in authors}
    wanted = {text.revision_id: text.item_id for text in texts if text.item_id in items}
    found = Counter(
        authors[wanted[pk], words]
        for pk, words in _explanations([*wanted])
        if (wanted[pk], words) in authors
    )
    return dict(sorted(found.items()))


def translated_by(project: Project, texts: Iterable[ChosenText]) -> list[dict[str, Any]]:
    """Return what translating by models here took, for each system that these texts are of.

    It is what all jobs of the system took, also for items that are not among the texts.
    """
    systems = {text.origin.system for text in texts}
    return [
        {"system": name, "items": each.translated, **totals_json(each.totals)}
        for name, each in sorted(totals_by_system(project, systems).items())
    ]


def _explanations(revisions: Sequence[int]) -> Iterator[tuple[int, str]]:
    for start in range(0, len(revisions), READ_AT_ONCE):
        rows = Revision.objects.filter(pk__in=revisions[start : start + READ_AT_ONCE])
        yield from rows.values_list("pk", "explanation")
