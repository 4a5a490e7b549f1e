"""Splits, origins and states of what is translated, with the moves between states."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class SplitName(TextChoices):
    TEST = "test", _("test")
    DEV = "dev", _("dev")


class ItemKind(TextChoices):
    """The way in which an item is answered; only a choice has options."""

    CHOICE = "choice", _("multiple choice")
    NUMBER = "number", _("number")
    OPEN = "open", _("open-ended")
    TRANSLATION = "translation", pgettext_lazy("kind of item", "translation")


class ItemState(TextChoices):
    ACTIVE = "active", _("active")
    EXCLUDED = "excluded", _("excluded")


ITEM_TRANSITIONS: dict[str, frozenset[str]] = {
    ItemState.ACTIVE: frozenset({ItemState.EXCLUDED}),
    ItemState.EXCLUDED: frozenset({ItemState.ACTIVE}),
}


class TranslationState(TextChoices):
    PENDING = "pending", _("needs review")
    APPROVED = "approved", _("approved")
    REJECTED = "rejected", _("rejected")


TRANSLATION_TRANSITIONS: dict[str, frozenset[str]] = {
    TranslationState.PENDING: frozenset({TranslationState.APPROVED, TranslationState.REJECTED}),
    # A new revision is always judged anew.
    TranslationState.APPROVED: frozenset({TranslationState.PENDING, TranslationState.REJECTED}),
    TranslationState.REJECTED: frozenset({TranslationState.PENDING, TranslationState.APPROVED}),
}


class Origin(TextChoices):
    MT = "mt", _("machine translation")
    HUMAN = "human", _("reviewer")
    ADJUDICATED = "adjudicated", _("senior")
    IMPORTED = "imported", _("imported")
    REPAIRED = "repaired", _("batch repair")


class Severity(TextChoices):
    ERROR = "error", _("error")
    WARNING = "warning", _("warning")
    INFO = "info", _("note")


class PairKind(TextChoices):
    EXACT = "exact", _("exact")
    NEAR = "near", _("near")
    SEMANTIC = "semantic", _("semantic")


class TextSide(TextChoices):
    SOURCE = "source", _("source")
    TARGET = "target", _("translation")


class PairState(TextChoices):
    OPEN = "open", pgettext_lazy("duplicate pair", "open")
    DISTINCT = "distinct", _("different items")
    DUPLICATE = "duplicate", _("duplicates")


PAIR_TRANSITIONS: dict[str, frozenset[str]] = {
    PairState.OPEN: frozenset({PairState.DISTINCT, PairState.DUPLICATE}),
    PairState.DISTINCT: frozenset({PairState.OPEN}),
    PairState.DUPLICATE: frozenset({PairState.OPEN}),
}


class PartOfSpeech(TextChoices):
    """The values that TBX-Basic knows."""

    NOUN = "noun", _("noun")
    VERB = "verb", _("verb")
    ADJECTIVE = "adjective", _("adjective")
    ADVERB = "adverb", _("adverb")
    PROPER_NOUN = "properNoun", _("proper noun")
    OTHER = "other", _("other")


class ProposalState(TextChoices):
    OPEN = "open", pgettext_lazy("proposal of a term", "open")
    ACCEPTED = "accepted", pgettext_lazy("proposal of a term", "accepted")
    CHANGED = "changed", pgettext_lazy("proposal of a term", "accepted with changes")
    DECLINED = "declined", pgettext_lazy("proposal of a term", "declined")


PROPOSAL_TRANSITIONS: dict[str, frozenset[str]] = {
    ProposalState.OPEN: frozenset(
        {ProposalState.ACCEPTED, ProposalState.CHANGED, ProposalState.DECLINED}
    ),
    ProposalState.ACCEPTED: frozenset(),
    ProposalState.CHANGED: frozenset(),
    ProposalState.DECLINED: frozenset(),
}


class TranslationStrategy(TextChoices):
    """The ways to have a model translate; `annotation.translating.strategies` has their calls."""

    SINGLE = "single", _("single")
    SELF_CHECK = "self_check", _("self-check")
    BEST_OF_N = "best_of_n", _("best of N")
    FUSE = "fuse", _("fuse")
    RANK = "rank", _("rank")
    ENGINE = "engine", _("translation engine")


class TranslatedState(TextChoices):
    OPEN = "open", pgettext_lazy("item of a translation job", "open")
    TRANSLATED = "translated", _("translated")
    FAILED = "failed", pgettext_lazy("item of a translation job", "failed")


class CallState(TextChoices):
    """The states of a raw call, as `endpoints.engine` names them."""

    ANSWERED = "answered", _("answered")
    FAILED = "failed", pgettext_lazy("call to an endpoint", "failed")


class Screen(TextChoices):
    """The questions of screening; `annotation.screening.screens` has their words."""

    UNIQUE = "unique", _("unique answer")
    CONTEXT = "context", _("context missing")
    SENSITIVE = "sensitive", _("sensitive content")
    CULTURAL = "cultural", _("cultural knowledge")
    FAITHFUL = "faithful", _("faithful translation")
    GRAMMAR = "grammar", _("given away by grammar")


class MadePairState(TextChoices):
    """What came of a pair that a model proposes wrong answers for. A made one becomes an item."""

    OPEN = "open", pgettext_lazy("pair of a making job", "open")
    MADE = "made", pgettext_lazy("pair of a making job", "made")
    FAILED = "failed", pgettext_lazy("pair of a making job", "failed")


class PooledState(TextChoices):
    """What came of a prompt of a pool that a model scores."""

    OPEN = "open", pgettext_lazy("prompt of a pool", "open")
    SCORED = "scored", pgettext_lazy("prompt of a pool", "scored")
    FAILED = "failed", pgettext_lazy("prompt of a pool", "failed")


class OpinionState(TextChoices):
    OPEN = "open", pgettext_lazy("opinion of a model", "open")
    DOUBT = "doubt", pgettext_lazy("opinion of a model", "doubtful")
    FINE = "fine", pgettext_lazy("opinion of a model", "fine")
    FAILED = "failed", pgettext_lazy("opinion of a model", "failed")
