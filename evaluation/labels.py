"""The words for people of methods and of what is read in a response."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evaluation.scorers.batch import ScoredExtraction


@dataclass(frozen=True, slots=True)
class MethodWords:
    label: str | Promise
    rule: str | Promise


METHODS: Mapping[str, MethodWords] = {
    "direct": MethodWords(
        _("direct (DA)"),
        _("The answer is the one option letter that occurs in the response; two make it none."),
    ),
    "concern_all": MethodWords(
        _("concern all (CAA)"),
        _("Complete lists of all options are set aside first; one letter must be left."),
    ),
    "first_option": MethodWords(
        _("first option"), _("The first thing that can be read as an option code is the answer.")
    ),
    "anchored": MethodWords(
        _("anchored"),
        _("A stated answer wins; else a bare option code or the text of exactly one option."),
    ),
    "numeric": MethodWords(_("numeric"), _("The last number is the answer.")),
}

OUTCOMES: Mapping[str, str | Promise] = {
    "correct": _("right"),
    "knowledge_error": _("wrong"),
    "no_answer": _("no answer"),
    "several_answers": _("several answers"),
    "repeater": _("repeats the question or all options"),
}

KINDS: Mapping[str, str | Promise] = {
    "right": _("right"),
    "wrong": _("wrong"),
    "none": _("no answer"),
    "several": _("several answers"),
    "repeater": _("repeater"),
    "failed": _("failed"),
}


def reason_text(scored: ScoredExtraction, key: str) -> str:
    """Why a scorer took what it took, in a sentence."""
    extraction = scored.extraction
    values = {
        "answer": extraction.answer,
        "key": key,
        "letters": ", ".join(extraction.letters_seen),
    }
    if scored.outcome == "correct":
        return str(_("It takes %(answer)s, which is the key.")) % values
    if scored.outcome == "knowledge_error":
        return str(_("It takes %(answer)s; the key is %(key)s.")) % values
    if scored.outcome == "several_answers":
        return str(_("Several letters are left (%(letters)s), so there is no answer.")) % values
    if scored.outcome == "repeater":
        return str(_("It repeats the question or every option, so there is no answer."))
    return str(_("It finds nothing that it reads as an answer."))
