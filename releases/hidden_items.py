"""Tell annotation which items are in the black box of a release, or of one that is being built."""

from annotation.hidden_items import declare_hidden_items
from releases.enums import Subset
from releases.models import ReleaseItem


def black_box_items(project: int) -> frozenset[int]:
    rows = ReleaseItem.objects.filter(release__project=project, subset=Subset.BLACK_BOX)
    return frozenset(rows.values_list("revision__translation__item", flat=True))


declare_hidden_items("releases", black_box_items)
