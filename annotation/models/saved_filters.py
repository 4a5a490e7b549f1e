"""Filters of the list of items that people keep under a name."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from projects.models import Project


class SavedFilter(models.Model):
    """A filter of a project's items under a name: its owner's, or shared with all who read items.

    `folded` is what the name has in common with names that look like it. `values` has the filters
    that are set, by name, as the address of the list has them.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="saved_filters", db_index=False
    )
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=100)
    folded = models.CharField(max_length=200)
    is_shared = models.BooleanField(default=False)
    values = models.JSONField(default=dict)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "owner", "folded"],
                condition=Q(is_shared=False),
                name="savedfilter_one_own_name",
            ),
            models.UniqueConstraint(
                fields=["project", "folded"],
                condition=Q(is_shared=True),
                name="savedfilter_one_shared_name",
            ),
            models.CheckConstraint(condition=~Q(folded=""), name="savedfilter_has_name"),
        ]
        indexes = [models.Index(fields=["project", "owner"], name="savedfilter_of_owner")]

    def __str__(self) -> str:
        return self.name
