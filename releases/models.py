"""Frozen versions of a benchmark: which item with which text, and the files made of them."""

from collections.abc import Sequence
from typing import ClassVar

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.enums import ItemKind, SplitName
from annotation.models import Item, Revision
from jobs.models import Job
from projects.models import Project
from releases.enums import (
    DevSource,
    HiddenPart,
    OptionOrder,
    ProblemKind,
    ProblemState,
    ReleaseState,
    Subset,
)
from releases.option_orders import in_order
from releases.querysets import ProblemQuerySet, ReleaseQuerySet
from releases.versions import Precedence, parse_version
from scoring.directions import Direction


class Release(models.Model):
    """One version; its rows never change once it is built.

    Freezing fills, in one transaction, everything that its files, pages and scores depend on:
    `frozen_at`, the items and subjects, `counts` ({items, test, dev, open, black_box,
    subjects: [{slug, name, category, test, dev, black_box}]}), `quality` (the figures of review)
    and `facts` ({name, source_language, target_language, software_version,
    sources: [{name, revision, url, licence, attribution, checksum}]}).
    `content_hash` is the SHA-256 of the manifest. `formats` are exporter names.
    `hidden_part` says whether the texts of hidden items are in its files; their keys never are.
    `prefers_experts` hides first what experts wrote or changed (`releases.building.hiding`), `option_order`
    says whether items keep the order of their options (`releases.option_orders`).
    Once published it may be shown to everybody, without an account; `changes` then holds
    {since, counts}: how many items differ from the earlier version that everybody sees.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=ReleaseState, default=ReleaseState.BUILDING)
    dev_per_subject = models.PositiveSmallIntegerField(default=5)
    dev_from = models.CharField(
        max_length=6,
        choices=DevSource,
        default=DevSource.SOURCE,
        db_default=DevSource.SOURCE.value,
    )
    black_box_share = models.FloatField(default=0.0)
    hidden_part = models.CharField(
        max_length=8,
        choices=HiddenPart,
        default=HiddenPart.CLOSED,
        db_default=HiddenPart.CLOSED.value,
    )
    seed = models.PositiveIntegerField(default=0)
    prefers_experts = models.BooleanField(default=False, db_default=False)
    option_order = models.CharField(
        max_length=8,
        choices=OptionOrder,
        default=OptionOrder.KEPT,
        db_default=OptionOrder.KEPT.value,
    )
    formats = models.JSONField(default=list)
    notes = models.TextField(blank=True)
    counts = models.JSONField(default=dict)
    quality = models.JSONField(default=dict)
    facts = models.JSONField(default=dict)
    content_hash = models.CharField(max_length=64, blank=True)
    job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    frozen_at = models.DateTimeField(null=True)
    built_at = models.DateTimeField(null=True)
    published_at = models.DateTimeField(null=True)
    yanked_at = models.DateTimeField(null=True)
    yank_reason = models.TextField(blank=True)
    is_for_everybody = models.BooleanField(default=False, db_default=False)
    changes = models.JSONField(default=dict)

    objects: ClassVar = ReleaseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="release_one_version"),
            models.CheckConstraint(
                condition=Q(black_box_share__gte=0, black_box_share__lte=1),
                name="release_black_box_share",
            ),
            models.CheckConstraint(
                condition=Q(state__in=ReleaseState.values), name="release_state_known"
            ),
            models.CheckConstraint(
                condition=Q(hidden_part__in=HiddenPart.values), name="release_hidden_part_known"
            ),
            models.CheckConstraint(
                condition=~Q(state=ReleaseState.YANKED) | ~Q(yank_reason=""),
                name="release_yank_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.version}"

    @property
    def precedence(self) -> Precedence:
        """Return where the version stands among others: the higher, the later."""
        return parse_version(self.version).precedence


class Waiver(models.Model):
    """Something in the way of one version that a manager let pass, with the reason.

    `problems` are what it covers, as readiness names them; `uids` are the items concerned. `role`
    is that of `waived_by` in the project at that moment.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="waivers")
    code = models.CharField(max_length=40)
    reason = models.TextField()
    problems = models.JSONField(default=list)
    uids = models.JSONField(default=list)
    waived_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=10, blank=True)
    waived_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "code"], name="waiver_one_code"),
            models.CheckConstraint(condition=~Q(reason=""), name="waiver_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.code} in {self.release}"


class ReleaseSecret(models.Model):
    """The key with which ids of a project's hidden items and its pseudonyms are made.

    It never leaves the server and never changes: the ids would change with it.
    """

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="+")
    value = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"secret of {self.project_id}"


class ReleaseDetails(models.Model):
    """The facts that managers give about the data set, for cards and citations of coming releases.

    `authors` are lines as `releases.details.values.read_authors` takes them, `prose` is {section: text}.
    """

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="+")
    title = models.CharField(max_length=200, blank=True)
    authors = models.TextField(blank=True)
    doi = models.CharField(max_length=200, blank=True)
    url = models.URLField(max_length=500, blank=True)
    licence = models.CharField(max_length=100, blank=True)
    prose = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"details of {self.project_id}"


class ReleaseSubject(models.Model):
    """A subject as it was called when the release was frozen."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="subjects")
    slug = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    category = models.CharField(max_length=100, blank=True)
    dimension = models.CharField(max_length=100, blank=True)
    level = models.CharField(max_length=100, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "slug"], name="releasesubject_one_slug")
        ]

    def __str__(self) -> str:
        return self.name


class ReleaseItem(models.Model):
    """One item as a release froze it; `position` is the order in its files.

    `public_id` is what strangers know it by: the uid of an open item, an id that tells nothing of
    a hidden one (`releases.building.hiding`). Hidden items stand at the end, in the order of those ids.

    Files, scores and pages of a release read these columns, its subject and its revision (which
    never changes), and never the item, which people go on editing. `explanation` is the source's,
    as are `source_…`; the translated ones are the revision's. `provenance` is the rest of the
    item's line in the ledger, as the exact JSON text (see `releases.building.provenance`). `key` is the
    letter of the correct one of `options`, which stand in `option_order`; `item_key` is the letter
    that the item itself has. `source_language` and `target_language` are the direction of an item
    that asks for a translation, as tags; empty otherwise.
    """

    # The constraints below begin with release and item; nothing is looked for by subject alone.
    # Repeats the subject's, whose key holds the release in the database.
    release = models.ForeignKey(
        Release,
        on_delete=models.PROTECT,
        related_name="items",
        db_index=False,
        db_constraint=False,
    )
    # Repeats the revision's, whose keys hold the item in the database.
    item = models.ForeignKey(
        Item,
        on_delete=models.PROTECT,
        related_name="release_items",
        db_index=False,
        db_constraint=False,
    )
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="release_items")
    subject = models.ForeignKey(
        ReleaseSubject, on_delete=models.PROTECT, related_name="items", db_index=False
    )
    uid = models.CharField(max_length=200)
    public_id = models.CharField(max_length=200)
    key = models.CharField(max_length=40)
    kind = models.CharField(
        max_length=11, choices=ItemKind, default=ItemKind.CHOICE, db_default=ItemKind.CHOICE
    )
    item_key = models.CharField(max_length=40, blank=True, db_default="")
    option_order = models.CharField(max_length=10, blank=True, db_default="")
    source_language = models.CharField(max_length=40, blank=True, default="", db_default="")
    target_language = models.CharField(max_length=40, blank=True, default="", db_default="")
    level = models.CharField(max_length=100, blank=True)
    year = models.CharField(max_length=20, blank=True)
    explanation = models.TextField(blank=True)
    source_question = models.TextField(blank=True)
    source_options = models.JSONField(default=list)
    source_answer = models.TextField(blank=True, default="", db_default="")
    provenance = models.TextField(default="{}")
    split = models.CharField(max_length=4, choices=SplitName)
    subset = models.CharField(max_length=9, choices=Subset)
    position = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "release"], name="releaseitem_once"),
            models.UniqueConstraint(
                fields=["release", "position"], name="releaseitem_one_position"
            ),
            models.UniqueConstraint(
                fields=["release", "public_id"], name="releaseitem_one_public_id"
            ),
            models.CheckConstraint(
                condition=~Q(split=SplitName.DEV, subset=Subset.BLACK_BOX),
                name="releaseitem_dev_is_open",
            ),
            models.CheckConstraint(
                condition=Q(split__in=SplitName.values, subset__in=Subset.values),
                name="releaseitem_place_known",
            ),
        ]
        indexes = [models.Index(fields=["release", "split", "position"], name="releaseitem_order")]

    def __str__(self) -> str:
        return f"{self.uid} in {self.release}"

    @property
    def options(self) -> Sequence[str]:
        """Return the options as released; the revision must be loaded."""
        return in_order(self.revision.options, self.option_order)

    @property
    def direction(self) -> Direction:
        """From what language into what it asks to translate, as the release froze it."""
        return Direction(self.source_language, self.target_language)

    def direction_in(self, _project: Project) -> Direction:
        """Return the direction that the release froze, whatever its project says now."""
        return self.direction

    @property
    def source_choices(self) -> Sequence[str]:
        """Return the options of the source in the order of `options`."""
        return in_order(self.source_options, self.option_order)

    @property
    def reference(self) -> str:
        """Return the answer of an item without options; the revision must be loaded."""
        if self.kind == ItemKind.NUMBER:
            return self.key
        return "" if self.kind == ItemKind.CHOICE else self.revision.answer


class ProblemReport(models.Model):
    """A problem with an open item that a reader without an account reports.

    `network` is a keyed hash of where it came from, by which reports are limited. `decision` is
    what the senior or manager wrote: of an accepted report, which is an erratum, the words for
    readers. `mended_in` is the first later version without the problem.
    """

    release = models.ForeignKey(
        Release, on_delete=models.PROTECT, related_name="problems", db_index=False
    )
    placed = models.ForeignKey(ReleaseItem, on_delete=models.PROTECT, related_name="problems")
    kind = models.CharField(max_length=12, choices=ProblemKind)
    text = models.TextField()
    contact = models.EmailField(blank=True)
    network = models.CharField(max_length=64)
    reported_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=ProblemState, default=ProblemState.OPEN)
    decision = models.TextField(blank=True)
    decided_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True)
    mended_in = models.ForeignKey(Release, null=True, on_delete=models.PROTECT, related_name="+")

    objects: ClassVar = ProblemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=ProblemKind.values, state__in=ProblemState.values),
                name="problemreport_kind_and_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state=ProblemState.OPEN)
                | (Q(decided_at__isnull=False) & ~Q(decision="")),
                name="problemreport_decision_given",
            ),
        ]
        indexes = [
            models.Index(fields=["release", "state"], name="problemreport_state"),
            models.Index(fields=["network", "reported_at"], name="problemreport_network"),
            models.Index(fields=["reported_at"], name="problemreport_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} in {self.release}"


class Artifact(models.Model):
    """A file of a release; `name` is its path in the release, with forward slashes."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="artifacts")
    name = models.CharField(max_length=300)
    media_type = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    row_count = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "name"], name="artifact_one_name")
        ]

    def __str__(self) -> str:
        return self.name


class HubPublication(models.Model):
    """The commit of a release in a repository of the Hugging Face Hub."""

    release = models.ForeignKey(
        Release, on_delete=models.PROTECT, related_name="hub_publications", db_index=False
    )
    repository = models.CharField(max_length=200)
    commit = models.CharField(max_length=64)
    published_at = models.DateTimeField()
    published_by = models.CharField(max_length=254, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "repository"], name="hubpublication_one_commit"
            )
        ]

    def __str__(self) -> str:
        return f"{self.repository} {self.commit}"
