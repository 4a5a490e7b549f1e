"""Finds the item of a request or command by its number or uid, within one project."""

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from annotation.models import Item
from common.errors import DomainError
from projects.models import Project

_SHOWN = ("subject", "source", "working_translation__current_revision")


class ItemUnknown(DomainError):
    code = "item_unknown"
    detail = _("There is no item “%(uid)s” in this project.")
    status = 404


def item_of(project: Project, pk: int) -> Item:
    """Return the item of an address, with all that its page shows. Raises Http404."""
    item: Item | None = _items(project).filter(pk=pk).first()
    if item is None:
        raise Http404
    item.project = project  # which knows the reader's role already
    return item


def get_item(project: Project, uid: str) -> Item:
    """Return the item `uid` of the project. Raises ItemUnknown."""
    item: Item | None = _items(project).filter(uid=uid).first()
    if item is None:
        raise ItemUnknown(uid=uid)
    item.project = project
    return item


def _items(project: Project) -> QuerySet[Item]:
    rows: QuerySet[Item] = Item.objects.filter(project=project).select_related(*_SHOWN)
    return rows
