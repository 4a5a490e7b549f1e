"""States of releases and of problem reports, kinds of change, and places of items."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class ReleaseState(TextChoices):
    BUILDING = "building", _("building")
    BUILT = "built", _("ready to publish")
    PUBLISHED = "published", _("published")
    YANKED = "yanked", _("yanked")
    FAILED = "failed", _("failed")


RELEASE_TRANSITIONS: dict[str, frozenset[str]] = {
    ReleaseState.BUILDING: frozenset({ReleaseState.BUILT, ReleaseState.FAILED}),
    ReleaseState.FAILED: frozenset({ReleaseState.BUILDING}),
    ReleaseState.BUILT: frozenset({ReleaseState.PUBLISHED}),
    ReleaseState.PUBLISHED: frozenset({ReleaseState.YANKED}),
    ReleaseState.YANKED: frozenset(),
}


class ProblemKind(TextChoices):
    """The kinds of problem that readers report of an item."""

    WRONG_KEY = "wrong_key", _("the key is wrong")
    TRANSLATION = "translation", _("the translation is wrong")
    BROKEN = "broken", _("the item is broken")
    OFFENSIVE = "offensive", _("the item is offensive")
    OTHER = "other", _("something else")


class ProblemState(TextChoices):
    OPEN = "open", pgettext_lazy("problem report", "open")
    ACCEPTED = "accepted", pgettext_lazy("problem report", "accepted")
    DISMISSED = "dismissed", pgettext_lazy("problem report", "dismissed")


# A decision can be changed: an erratum that was none has to be taken back.
PROBLEM_TRANSITIONS: dict[str, frozenset[str]] = {
    ProblemState.OPEN: frozenset({ProblemState.ACCEPTED, ProblemState.DISMISSED}),
    ProblemState.ACCEPTED: frozenset({ProblemState.DISMISSED}),
    ProblemState.DISMISSED: frozenset({ProblemState.ACCEPTED}),
}


class ChangeKind(TextChoices):
    """The ways in which an item may differ between two releases."""

    ADDED = "added", _("New items")
    REMOVED = "removed", _("Items removed")
    TEXT = "text", _("Texts changed")
    KEY = "key", _("Keys changed")
    SPLIT = "split", _("Moved between dev and test")
    SUBSET = "subset", _("Opened or hidden")
    CATEGORY = "category", _("Moved to another subject or category")


class DevSource(TextChoices):
    SOURCE = "source", _("from the dev items of the source")
    CARVED = "carved", _("carved from the test items")
    BOTH = "both", _("from the dev items of the source, filled up from the test items")


class OptionOrder(TextChoices):
    KEPT = "kept", _("as the items have them")
    SHUFFLED = "shuffled", _("shuffled, with keys balanced")


class HiddenPart(TextChoices):
    """What leaves the server of the items that a release hides."""

    CLOSED = "closed", _("closed: neither texts nor keys")
    WITHHELD = "withheld", _("answers withheld: texts, but no keys")


class Subset(TextChoices):
    OPEN = "open", pgettext_lazy("subset", "open")
    BLACK_BOX = "black-box", _("black box")
