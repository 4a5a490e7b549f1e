"""How pages and the API reach the text of an item that somebody edits."""

from django.utils.translation import gettext_lazy as _

from annotation.items.queries import current_revision
from annotation.items.revisions import RevisionStale
from annotation.models import Item, Revision
from common.errors import DomainError


class NoTextYet(DomainError):
    code = "no_text_yet"
    detail = _("This item has no translation yet. Import one first.")


def revision_to_edit(item: Item, seen: int | None) -> Revision:
    """The current text of the item, which must be the revision that was `seen`, if one is named.

    Raises NoTextYet, RevisionStale.
    """
    revision = current_revision(item)
    if revision is None:
        raise NoTextYet
    if seen not in (None, revision.pk):
        raise RevisionStale
    return revision
