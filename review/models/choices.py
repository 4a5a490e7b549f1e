"""Choices of the texts that go on to the next round, kept so that they can be undone."""

from django.db import models

from accounts.models import User
from annotation.models import Item, Translation
from jobs.models import Job
from projects.models import Project


class TextChoice(models.Model):
    """One time that somebody chose texts, for one item or for many; `item_count` of them changed.

    `why` is a system or a comparison. It can be undone until the next round is opened. `job` is
    the one that chooses, where there are many items.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="text_choices", db_index=False
    )
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    why = models.CharField(max_length=120)
    item_count = models.PositiveIntegerField(default=0)
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="textchoice_latest")]

    def __str__(self) -> str:
        return f"{self.why} for {self.item_count} items of {self.project}"


class ChosenText(models.Model):
    """One item of a choice: the translation that it had before and the one chosen."""

    choice = models.ForeignKey(
        TextChoice, on_delete=models.PROTECT, related_name="texts", db_index=False
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    before = models.ForeignKey(
        Translation, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    after = models.ForeignKey(
        Translation, on_delete=models.PROTECT, related_name="+", db_index=False
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["choice", "item"], name="chosentext_once")]

    def __str__(self) -> str:
        return f"{self.item} in {self.choice}"
