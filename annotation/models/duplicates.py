"""Duplicate items: the searches that find them, pairs, clusters, and what a person decided."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.enums import PairKind, PairState, TextSide
from annotation.models.items import Item
from jobs.models import Job
from projects.models import Project


class DuplicateSearch(models.Model):
    """One search over a project; its blocks are the units of work."""

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="duplicate_searches"
    )
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    requested_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    methods = models.JSONField(default=list)
    model = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"search {self.pk} in {self.project}"


class SearchedBlock(models.Model):
    """A block of a search that is finished: a search taken up again leaves it out."""

    search = models.ForeignKey(DuplicateSearch, on_delete=models.CASCADE, related_name="blocks")
    name = models.CharField(max_length=60)
    found = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["search", "name"], name="searchedblock_once")
        ]

    def __str__(self) -> str:
        return self.name


class DuplicateCluster(models.Model):
    """Items that open pairs and confirmed duplicates join, directly or through others.

    The other fields sum up the pairs that wait for a decision (open, both items active) and put
    the clusters in order; `annotation.duplicates.clusters` keeps them. `similarity` is that of the
    most alike pair. `pair_count` counts two items once, though both sides may be alike.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="duplicate_clusters"
    )
    is_open = models.BooleanField(default=False)
    has_same_key = models.BooleanField(default=True)
    crosses_splits = models.BooleanField(default=False)
    similarity = models.FloatField(default=0)
    item_count = models.PositiveIntegerField(default=0)
    pair_count = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(
                "project",
                "has_same_key",
                models.F("crosses_splits").desc(),
                models.F("similarity").desc(),
                "id",
                condition=Q(is_open=True),
                name="duplicatecluster_most_urgent",
            )
        ]

    def __str__(self) -> str:
        return f"cluster {self.pk} in {self.project}"


class DuplicatePair(models.Model):
    """Two items alike on one side of the text; a person decides it once.

    `cluster` is empty for a pair of different items only.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="duplicate_pairs")
    a = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    b = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    side = models.CharField(max_length=6, choices=TextSide)
    kind = models.CharField(max_length=8, choices=PairKind)
    similarity = models.FloatField()
    has_same_key = models.BooleanField()
    crosses_splits = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=PairState, default=PairState.OPEN)
    cluster = models.ForeignKey(
        DuplicateCluster, null=True, on_delete=models.PROTECT, related_name="pairs"
    )
    dropped = models.ForeignKey(Item, null=True, on_delete=models.PROTECT, related_name="+")
    decided_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)
    search = models.ForeignKey(DuplicateSearch, on_delete=models.PROTECT, related_name="pairs")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["a", "b", "side"], name="duplicatepair_once"),
            models.CheckConstraint(condition=Q(a__lt=models.F("b")), name="duplicatepair_ordered"),
            models.CheckConstraint(
                condition=Q(similarity__gte=0, similarity__lte=1), name="duplicatepair_similarity"
            ),
            models.CheckConstraint(
                condition=Q(state=PairState.OPEN, decided_by__isnull=True)
                | (~Q(state=PairState.OPEN) & Q(decided_by__isnull=False)),
                name="duplicatepair_decided_by",
            ),
            models.CheckConstraint(
                condition=Q(cluster__isnull=True) | ~Q(state=PairState.DISTINCT),
                name="duplicatepair_distinct_joins_nothing",
            ),
        ]
        indexes = [
            models.Index(
                "project",
                models.F("state").desc(),
                "has_same_key",
                models.F("crosses_splits").desc(),
                models.F("similarity").desc(),
                "id",
                name="duplicatepair_loudest",
            ),
            models.Index(
                "cluster",
                "state",
                "has_same_key",
                models.F("crosses_splits").desc(),
                models.F("similarity").desc(),
                "id",
                name="duplicatepair_cluster_loudest",
            ),
            models.Index("project", "state", "kind", name="duplicatepair_kind"),
            models.Index("project", "state", "side", name="duplicatepair_side"),
        ]

    def __str__(self) -> str:
        return f"{self.a_id} ~ {self.b_id}"
