"""States and contents of responses, states of suggestions to review, the kinds of suggestions, and strata of audits."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class ResponseState(TextChoices):
    ANSWERED = "answered", _("answered")
    FAILED = "failed", _("no answer from the endpoint")


class Says(TextChoices):
    """What there is in an answer."""

    ANSWER = "answer", _("text outside its reasoning")
    REASONING = "reasoning", _("only reasoning")
    NOTHING = "nothing", _("nothing that is visible")


class Stratum(TextChoices):
    """How the methods of a run read a response: what an audit draws from."""

    NONE = "none", _("no method finds an answer")
    DIFFER = "differ", _("methods differ")
    AGREE = "agree", _("methods agree")


class SuggestionKind(TextChoices):
    """Why the answers of models suggest that people look at an item again."""

    KEY_DOUBTED = "key_doubted", _("key doubted")
    DIF = "dif", _("harder than in the source language")
    NONE_SOLVE = "none_solve", _("nobody solves it")
    ALL_SOLVE = "all_solve", _("everybody solves it")
    UNSTABLE = "unstable", _("unstable answers")


class SuggestionState(TextChoices):
    OPEN = "open", pgettext_lazy("suggestion", "open")
    SENT = "sent", _("sent to a round")
    DISMISSED = "dismissed", _("dismissed")


SUGGESTION_TRANSITIONS: dict[str, frozenset[str]] = {
    SuggestionState.OPEN: frozenset({SuggestionState.SENT, SuggestionState.DISMISSED}),
    SuggestionState.SENT: frozenset(),
    SuggestionState.DISMISSED: frozenset(),
}
