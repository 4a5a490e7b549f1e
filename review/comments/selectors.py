"""How pages and the API reach a thread of comments: within what a person may see."""

from django.shortcuts import get_object_or_404

from annotation.models import Item
from projects.models import Project
from review.comments.threads import ThreadUnknown, with_panels
from review.models import (
    Comment,
)


def thread_of(project: Project, pk: int) -> Comment:
    """A comment of a project's items; that it begins a thread its actions find out."""
    rows = with_panels(Comment.objects.filter(item__project=project))
    comment = get_object_or_404(rows, pk=pk)
    comment.item.project = project
    return comment


def thread_on(item: Item, pk: int) -> Comment:
    """A comment on the item. Raises ThreadUnknown."""
    comment = with_panels(Comment.objects.filter(item=item)).filter(pk=pk).first()
    if comment is None:
        raise ThreadUnknown
    comment.item = item
    return comment
