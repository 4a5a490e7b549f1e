"""Items, their translations, each immutable text of those, and what checks found in it."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from accounts.models import User
from annotation.enums import (
    ItemKind,
    ItemState,
    Origin,
    Severity,
    SplitName,
    TranslationState,
)
from annotation.models.imports import ImportBatch
from annotation.natural_order import LONGEST_ORDER
from annotation.querysets import FindingQuerySet, ItemManager, TranslationManager
from projects.models import Project, Source, Subject
from scoring.directions import Direction, read_direction


class Item(models.Model):
    """One benchmark question in the source language.

    `options` is a list of texts; `key` is the letter of the correct one. An item of another `kind`
    has no options: the `key` of a number is that number, as written, and `answer` is the reference
    answer of the others, a text in the source language like `explanation`. `content_hash` covers
    what the importer read, so that importing the same file again changes nothing.
    `uid_order` is what to sort by instead of `uid` (`annotation.natural_order`).
    `working_translation` points to the translation that review is about. `has_open_…` are about
    its current revision; `annotation.index` keeps them. `objects` leaves out the rows of an
    import that is not finished; `all_rows` has them too.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="items")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="items")
    subject = models.ForeignKey(
        Subject, on_delete=models.PROTECT, related_name="items", db_index=False
    )
    uid = models.CharField(max_length=200)
    uid_order = models.CharField(max_length=LONGEST_ORDER)
    split = models.CharField(max_length=4, choices=SplitName, default=SplitName.TEST)
    question = models.TextField(blank=True)
    options = models.JSONField(default=list)
    key = models.CharField(max_length=40)
    kind = models.CharField(
        max_length=11, choices=ItemKind, default=ItemKind.CHOICE, db_default=ItemKind.CHOICE
    )
    answer = models.TextField(blank=True, default="", db_default="")
    explanation = models.TextField(blank=True)
    level = models.CharField(max_length=100, blank=True)
    year = models.CharField(max_length=20, blank=True)
    metadata = models.JSONField(default=dict)
    content_hash = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=ItemState, default=ItemState.ACTIVE)
    state_reason = models.TextField(blank=True)
    working_translation = models.ForeignKey(
        "annotation.Translation", null=True, on_delete=models.PROTECT, related_name="+"
    )
    import_batch = models.ForeignKey(
        ImportBatch, null=True, on_delete=models.PROTECT, related_name="items"
    )
    has_open_errors = models.BooleanField(default=False, db_default=False)
    has_open_warnings = models.BooleanField(default=False, db_default=False)
    has_open_findings = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField()

    objects: ClassVar = ItemManager()
    all_rows: ClassVar = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "uid"], name="item_one_uid"),
            models.CheckConstraint(
                condition=Q(state__in=ItemState.values), name="item_state_known"
            ),
            models.CheckConstraint(
                condition=Q(split__in=SplitName.values), name="item_split_known"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=[ItemKind.CHOICE, ItemKind.NUMBER], answer="")
                | Q(kind__in=[ItemKind.OPEN, ItemKind.TRANSLATION], key=""),
                name="item_kind_fits",
            ),
        ]
        # Each filter of the list of items reads a page of its own index, in natural order of uid.
        indexes = [
            models.Index(fields=["project", "uid_order"], name="item_order"),
            models.Index(fields=["subject", "uid_order"], name="item_subject"),
            models.Index(fields=["project", "state", "uid_order"], name="item_state"),
            models.Index(
                fields=["project", "has_open_findings", "uid_order"], name="item_findings"
            ),
            models.Index(
                fields=["project", "uid_order"],
                condition=Q(has_open_errors=True),
                name="item_errors",
            ),
            models.Index(
                fields=["project", "uid_order"],
                condition=Q(has_open_warnings=True),
                name="item_warnings",
            ),
            models.Index(
                fields=["project", "uid_order"],
                condition=Q(working_translation__isnull=True),
                name="item_untranslated",
            ),
        ]

    def __str__(self) -> str:
        return self.uid

    @property
    def asks_for_translation(self) -> bool:
        """Whether a model that is evaluated translates it: then it is its own text in any project."""
        return self.kind == ItemKind.TRANSLATION

    def direction_in(self, project: Project) -> Direction:
        """From what language into what it asks to translate: as its file says, or else as its project."""
        return read_direction(
            str(self.metadata.get("direction") or ""),
            source=project.source_language,
            target=project.target_language,
        )


class KeyChange(models.Model):
    """One correction of an item's key; rows are only ever inserted, and the chain cannot fork.

    `Item.key` is the key now, moved by the action that inserts the row.
    """

    # No index of its own, here and below: a unique constraint begins with the same column.
    item = models.ForeignKey(
        Item, on_delete=models.PROTECT, related_name="key_changes", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    supersedes = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="superseded_by"
    )
    old_key = models.CharField(max_length=40)
    new_key = models.CharField(max_length=40)
    reason = models.TextField()
    author = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="keychange_one_number"),
            models.CheckConstraint(
                condition=Q(number=1, supersedes__isnull=True)
                | Q(number__gt=1, supersedes__isnull=False),
                name="keychange_chain",
            ),
            models.CheckConstraint(condition=~Q(old_key=F("new_key")), name="keychange_differs"),
            models.CheckConstraint(condition=~Q(reason=""), name="keychange_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.old_key} to {self.new_key}"


class ItemStateChange(models.Model):
    """One time that an item was excluded or restored; rows are only ever inserted.

    `Item.state` is the state now, moved by the action that inserts the row.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="state_changes")
    state = models.CharField(max_length=8, choices=ItemState)
    reason = models.TextField()
    author = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=ItemState.values), name="itemstatechange_state_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.state}"


class ItemSearchText(models.Model):
    """The text by which a search finds an item's source; `annotation.index` keeps it."""

    item = models.OneToOneField(
        Item, on_delete=models.CASCADE, primary_key=True, related_name="search_text"
    )
    text = models.TextField()

    def __str__(self) -> str:
        return f"search text of {self.item_id}"


class Translation(models.Model):
    """An item's text in the project's target language by one system, through its revisions.

    `source` is what the text was imported from, none for a text that was made here. `objects`
    leaves out the rows of an import that is not finished; `all_rows` has them too.
    """

    item = models.ForeignKey(
        Item, on_delete=models.PROTECT, related_name="translations", db_index=False
    )
    system = models.CharField(max_length=100)
    state = models.CharField(
        max_length=10, choices=TranslationState, default=TranslationState.PENDING
    )
    current_revision = models.ForeignKey(
        "annotation.Revision", null=True, on_delete=models.PROTECT, related_name="+"
    )
    source = models.ForeignKey(
        Source, null=True, on_delete=models.PROTECT, related_name="translations"
    )
    import_batch = models.ForeignKey(
        ImportBatch, null=True, on_delete=models.PROTECT, related_name="translations"
    )
    created_at = models.DateTimeField()

    objects: ClassVar = TranslationManager()
    all_rows: ClassVar = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "system"], name="translation_one_system"),
            models.CheckConstraint(
                condition=Q(state__in=TranslationState.values), name="translation_state_known"
            ),
        ]
        indexes = [models.Index(fields=["state"], name="translation_state")]

    def __str__(self) -> str:
        return f"{self.item} by {self.system}"


class TranslationSearchText(models.Model):
    """The text by which a search finds a translation; `annotation.index` keeps it.

    A translation under review always has one. Others may have one, which no search finds.
    """

    translation = models.OneToOneField(
        Translation, on_delete=models.CASCADE, primary_key=True, related_name="search_text"
    )
    text = models.TextField()

    def __str__(self) -> str:
        return f"search text of {self.translation_id}"


class Revision(models.Model):
    """One immutable text of a translation; a correction is a new row that supersedes the old.

    `options` is empty where the published text could not be read with certainty; `question`
    then holds that text whole. `answer` and `explanation` are those of the item, if it has any.
    `raw` is the published text that an importer had to divide. `key` is
    the key as published beside the text, if it was. `numbers_confirmed` says that it changes numbers
    or formulas against the source, and that its author meant to.
    """

    translation = models.ForeignKey(
        Translation, on_delete=models.PROTECT, related_name="revisions", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    supersedes = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="superseded_by"
    )
    question = models.TextField(blank=True)
    options = models.JSONField(default=list)
    answer = models.TextField(blank=True, default="", db_default="")
    explanation = models.TextField(blank=True, default="", db_default="")
    key = models.CharField(max_length=40, blank=True)
    raw = models.TextField(blank=True)
    origin = models.CharField(max_length=12, choices=Origin)
    author = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="revisions")
    numbers_confirmed = models.BooleanField(default=False, db_default=False)
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["translation", "number"], name="revision_one_number"),
            models.CheckConstraint(
                condition=Q(number=1, supersedes__isnull=True)
                | Q(number__gt=1, supersedes__isnull=False),
                name="revision_chain",
            ),
            models.CheckConstraint(
                condition=Q(origin__in=Origin.values), name="revision_origin_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.translation} r{self.number}"

    @property
    def origin_name(self) -> str:
        """The author of the text in words, '' of a text that is not stored."""
        return str(Origin(self.origin).label) if self.origin else ""


class Finding(models.Model):
    """One result of a check on a revision; the words for people are made from code and data.

    `start` and `end` count code points in `field` ("question", "options.0", "item").
    """

    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="findings", db_index=False
    )
    code = models.CharField(max_length=60)
    severity = models.CharField(max_length=8, choices=Severity)
    field = models.CharField(max_length=20)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    data = models.JSONField(default=dict)
    dismissed_at = models.DateTimeField(null=True)
    dismissed_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    dismissal_reason = models.TextField(blank=True)
    created_at = models.DateTimeField()

    objects: ClassVar = FindingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "code", "field", "start", "end"], name="finding_once"
            ),
            models.CheckConstraint(
                condition=Q(dismissed_at__isnull=True)
                | (Q(dismissed_by__isnull=False) & ~Q(dismissal_reason="")),
                name="finding_dismissal_named",
            ),
        ]
        indexes = [
            models.Index(fields=["code", "severity"], name="finding_code"),
            models.Index(
                fields=["revision", "severity", "code"],
                condition=Q(dismissed_at__isnull=True),
                name="finding_open",
            ),
            models.Index(
                fields=["-dismissed_at", "id"],
                condition=Q(dismissed_at__isnull=False),
                name="finding_dismissed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code} in {self.field}"
