"""Pairs of items that say the same, how they were found and what a person decided."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.enums import PairKind, PairState, TextSide
from annotation.models.items import Item
from annotation.models.projects import Project
from common.models import Job


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


class DuplicatePair(models.Model):
    """Two items alike on one side of the text; decided once, by a person."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="duplicate_pairs")
    a = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    b = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    side = models.CharField(max_length=6, choices=TextSide)
    kind = models.CharField(max_length=8, choices=PairKind)
    similarity = models.FloatField()
    has_same_key = models.BooleanField()
    crosses_splits = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=PairState, default=PairState.OPEN)
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
        ]

    def __str__(self) -> str:
        return f"{self.a_id} ~ {self.b_id}"
