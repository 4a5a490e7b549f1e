"""What people say to each other about an item: comments in threads, and who is named in them."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.models import Item
from review.models.panels import Panel


class Comment(models.Model):
    """One comment on an item; rows are inserted and never edited or deleted.

    `thread` is the comment that began the thread, none for that one itself. `panel` is the item's
    latest panel when the comment was written: while it is open, reviewers do not read each other.
    `is_from_manager` is whether the author managed the project then; managers do not judge.
    `resolved_at` and `resolved_by` are set on the first comment of a thread that is resolved.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="comments")
    thread = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="replies")
    # A round without judgements can be discarded; what was said on its items stays.
    panel = models.ForeignKey(
        Panel,
        null=True,
        on_delete=models.SET_NULL,
        related_name="comments",
        db_index=False,
        db_constraint=False,
    )
    author = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="comments", db_index=False
    )
    is_from_manager = models.BooleanField()
    text = models.TextField()
    idempotency_key = models.CharField(max_length=100)
    created_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["author", "idempotency_key"], name="comment_one_key"),
            models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
            models.CheckConstraint(
                condition=Q(resolved_at__isnull=True, resolved_by__isnull=True)
                | Q(resolved_at__isnull=False, thread__isnull=True),
                name="comment_resolved_fits",
            ),
        ]
        indexes = [models.Index(fields=["author", "-created_at"], name="comment_of_author")]

    def __str__(self) -> str:
        return f"comment of {self.author} on {self.item}"


class Mention(models.Model):
    """A person whom a comment names; `words` is how, without the @."""

    comment = models.ForeignKey(
        Comment, on_delete=models.PROTECT, related_name="mentions", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="mentions")
    words = models.CharField(max_length=254)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comment", "user"], name="mention_once_a_comment")
        ]

    def __str__(self) -> str:
        return f"@{self.words} in {self.comment}"
