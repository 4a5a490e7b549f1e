"""Choices and states of rounds, seats, panels and judgements, and the moves between states."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class RoundState(TextChoices):
    """*Opening* while its panels are being made; nobody gets a seat before it is open."""

    OPENING = "opening", _("being opened")
    OPEN = "open", pgettext_lazy("round", "open")
    CLOSED = "closed", _("closed")


ROUND_TRANSITIONS: dict[str, frozenset[str]] = {
    RoundState.OPENING: frozenset({RoundState.OPEN}),
    RoundState.OPEN: frozenset({RoundState.CLOSED}),
    RoundState.CLOSED: frozenset(),
}


class Selection(TextChoices):
    """Which items a round is about; *sample* is short for a sample of those not yet approved."""

    NOT_APPROVED = "not-approved", _("items not yet approved")
    APPROVED = "approved", _("approved items (an audit)")
    CHANGED = "changed", _("items whose text changed since a round")
    FINDINGS = "findings", _("items with open errors or warnings")
    FILTER = "filter", _("items that a filter shows")
    LIST = "list", _("a list of items")
    ALL = "all", _("all items")
    SAMPLE = "sample", _("a sample of items not yet approved")


class VerdictRule(TextChoices):
    UNANIMOUS = "unanimous", _("all agree")
    MAJORITY = "majority", _("more than half agree")


class SeatState(TextChoices):
    OPEN = "open", pgettext_lazy("seat", "open")
    CLAIMED = "claimed", _("claimed")
    JUDGED = "judged", _("judged")
    CLOSED = "closed", _("closed without a judgement")


SEAT_TRANSITIONS: dict[str, frozenset[str]] = {
    SeatState.OPEN: frozenset({SeatState.CLAIMED, SeatState.CLOSED}),
    SeatState.CLAIMED: frozenset({SeatState.OPEN, SeatState.JUDGED, SeatState.CLOSED}),
    SeatState.JUDGED: frozenset({SeatState.CLAIMED}),  # its judgement was taken back
    SeatState.CLOSED: frozenset(),
}


class Verdict(TextChoices):
    APPROVE = "approve", _("Approve")
    REVISE = "revise", _("Revise")
    REJECT = "reject", _("Reject")


class ErrorTag(TextChoices):
    ACCURACY = "accuracy", _("accuracy")
    TERMINOLOGY = "terminology", _("terminology")
    GRAMMAR = "grammar", _("grammar")
    REGISTER = "register", _("register")
    CULTURE = "culture", _("culture")
    STRUCTURE = "structure", _("structure")
    WRONG_KEY = "wrong_key", _("wrong key")
    NOT_ANSWERABLE = "not_answerable", _("not answerable")
    DUPLICATE = "duplicate", _("duplicate")


class PanelState(TextChoices):
    """How far a panel is; its outcome says what its judgements lead to."""

    JUDGING = "judging", _("being judged")
    DISPUTED = "disputed", _("in dispute")
    SETTLED = "settled", _("settled")
    UNFINISHED = "unfinished", _("closed without an outcome")


PANEL_TRANSITIONS: dict[str, frozenset[str]] = {
    PanelState.JUDGING: frozenset({PanelState.DISPUTED, PanelState.SETTLED, PanelState.UNFINISHED}),
    # A second look or a further judgement decides it anew, perhaps as a dispute again.
    PanelState.DISPUTED: frozenset({PanelState.DISPUTED, PanelState.SETTLED}),
    # A senior may take a decision back.
    PanelState.SETTLED: frozenset({PanelState.DISPUTED}),
    PanelState.UNFINISHED: frozenset(),
}


class Outcome(TextChoices):
    APPROVED = "approved", _("approved")
    REVISED = "revised", _("revised")
    REJECTED = "rejected", _("rejected")
    DISPUTED = "disputed", _("disputed")


class Fate(TextChoices):
    """What became of one judgement: its panel's outcome, seen from the person who judged."""

    WAITING = "waiting", _("waiting for the panel")
    DISPUTED = "disputed", _("waiting for a senior")
    KEPT = "kept", _("kept")
    EDITED = "edited", _("edited")
    OVERTURNED = "overturned", _("overturned")
    UNDECIDED = "undecided", _("closed without an outcome")


class DecisionKind(TextChoices):
    APPROVE = "approve", _("approve as it stands")
    ADOPT = "adopt", _("adopt a reviewer's text")
    MERGE = "merge", _("merge by hand")
    REJECT = "reject", _("reject the item")


class SkipReason(TextChoices):
    NOT_MY_FIELD = "not_my_field", _("Not my field")
    CONFLICT = "conflict", _("I know who wrote this")
    UNCLEAR = "unclear", _("The task is unclear")
    OTHER = "other", _("Another reason")


class Purpose(TextChoices):
    """What a round does for most of its items.

    *Initial* judges items that no earlier round has judged, *alignment* texts that changed since
    an earlier round or were not approved there, *audit* texts that an earlier round approved.
    """

    INITIAL = "initial", _("first judgement of items")
    ALIGNMENT = "alignment", _("judgement of changed texts")
    AUDIT = "audit", _("second judgement of approved texts")


class FaultKind(TextChoices):
    """What is wrong with a degraded control item, one kind for each function of `review.selection.degrading`."""

    NUMBER_CHANGED = "number_changed", _("a number was changed")
    NEGATION_DROPPED = "negation_dropped", _("a negation was dropped")
    OPTIONS_SWAPPED = "options_swapped", _("two options changed places")
    LABEL_SPLICED = "label_spliced", _("an option's letter was put into a text")
    OPTION_REPEATED = "option_repeated", _("another option says the same as the right one")
    TERM_REPLACED = "term_replaced", _("a word was replaced by another one")
    TEXT_CUT = "text_cut", _("the end of the question is missing")


class InquiryKind(TextChoices):
    """What an open dispute can wait for."""

    SECOND_LOOK = "second_look", _("second look")
    FURTHER_SEAT = "further_seat", _("one more judgement")


class InquiryState(TextChoices):
    """*Ended* without an answer: the dispute was settled, the round closed or the reviewer left."""

    OPEN = "open", pgettext_lazy("inquiry", "open")
    ANSWERED = "answered", _("answered")
    TAKEN_BACK = "taken_back", _("taken back")
    ENDED = "ended", _("ended without an answer")


INQUIRY_TRANSITIONS: dict[str, frozenset[str]] = {
    InquiryState.OPEN: frozenset(
        {InquiryState.ANSWERED, InquiryState.TAKEN_BACK, InquiryState.ENDED}
    ),
    InquiryState.ANSWERED: frozenset(),
    InquiryState.TAKEN_BACK: frozenset(),
    InquiryState.ENDED: frozenset(),
}


class RoundKind(TextChoices):
    """What people do in a round; only *review* judges texts and counts in figures of review.

    *Comparison* rates the texts of several systems without their names, *solving* answers the
    items without their keys.
    """

    REVIEW = "review", _("review")
    COMPARISON = "comparison", _("comparison of systems")
    SOLVING = "solving", _("solving without the key")


class OpinionsShown(TextChoices):
    """Who sees what models said of an item in screening, on the pages and in the API of review."""

    NOBODY = "nobody", _("nobody")
    AFTER_VERDICT = "after-verdict", _("reviewers after their verdict, and seniors in disputes")
    SENIORS = "seniors", _("seniors in disputes")


class LeftOut(TextChoices):
    """Why a batch repair, or undoing one, leaves a text as it is."""

    EXCLUDED = "excluded", _("The item is excluded.")
    IN_DISPUTE = "in_dispute", _("The item is in dispute.")
    BEING_JUDGED = "being_judged", _("A panel is judging the item in an open round.")
    APPROVED = "approved", _("The text is approved.")
    REJECTED = "rejected", _("The text is rejected.")
    DISMISSED = "dismissed", _("Somebody dismissed a finding of this check in the text.")
    OVERLAPPING = "overlapping", _("Another finding is about the same place.")
    GONE = (
        "gone",
        _("The repair no longer applies: the check finds nothing, or the repair is another."),
    )
    NO_REPAIR = "no_repair", _("There is no certain repair of what this check finds.")
    NUMBERS = "numbers", _("The repair would change numbers or formulas.")
    NEW_ERROR = "new_error", _("The repaired text would have an error that the text does not have.")
    CHANGED = "changed", _("The text has changed since.")


class BulkKind(TextChoices):
    """What can be done at once to all items of a filter."""

    EXCLUDE = "exclude", _("Exclude from the project")
    RESTORE = "restore", pgettext_lazy("excluded items", "Bring back")
    CHECK = "check", _("Check again")
    CATEGORY = "category", _("Assign a category")


class ExplainedState(TextChoices):
    """What came of an item that a model explains."""

    OPEN = "open", pgettext_lazy("item of an explanation job", "open")
    EXPLAINED = "explained", pgettext_lazy("item of an explanation job", "explained")
    FAILED = "failed", pgettext_lazy("item of an explanation job", "failed")
