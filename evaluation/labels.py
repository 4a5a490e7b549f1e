"""Texts about methods, about the answers that they find, and about what they have scored."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from evaluation.queries.differences import Difference
from evaluation.queries.results import Coverage
from evaluation.scorers.batch import ScoredExtraction


@dataclass(frozen=True, slots=True)
class MethodLabel:
    """short: the name in tables; label: the name with its origin; rule: what the method does."""

    short: str | Promise
    label: str | Promise
    rule: str | Promise


METHODS: Mapping[str, MethodLabel] = {
    "anchored": MethodLabel(
        _("Anchored"),
        _("Anchored (Lotsawa)"),
        _(
            "Uses the answer that the response states. Otherwise the response must be just an"
            " option letter, or contain the text of exactly one option."
        ),
    ),
    "direct": MethodLabel(
        _("Direct"),
        _("Direct (as published: TLUE, DA)"),
        _("Uses the only option letter that occurs in the response, even if it is part of a word."),
    ),
    "concern_all": MethodLabel(
        _("Concern all"),
        _("Concern all (as published: TLUE, CAA)"),
        _(
            "Ignores complete lists of all options, then uses the only option letter that is left,"
            " even if it is part of a word."
        ),
    ),
    "first_option": MethodLabel(
        _("First option"),
        _("First option (as published: TMLU)"),
        _("Uses the first thing in the response that can be read as an option letter."),
    ),
    "numeric": MethodLabel(
        _("Numeric"),
        _("Numeric (as published: MM-Eval)"),
        _(
            "Uses the last number in the response, in digits of any script. Only for items that a number answers."
        ),
    ),
}

KINDS: Mapping[str, str | Promise] = {
    "right": _("right"),
    "wrong": _("wrong"),
    "none": _("no answer"),
    "several": _("several answers"),
    "repeater": _("repeats the question or all options"),
    "failed": _("failed: the endpoint did not answer"),
}


def reason_text(scored: ScoredExtraction, key: str) -> str:
    """Explain a score in one sentence."""
    extraction = scored.extraction
    values = {
        "answer": extraction.answer,
        "key": key,
        "letters": ", ".join(extraction.letters_seen),
    }
    if scored.outcome == "correct":
        return gettext("Found %(answer)s, which is the key.") % values
    if scored.outcome == "knowledge_error":
        return gettext("Found %(answer)s. The key is %(key)s.") % values
    if scored.outcome == "several_answers":
        return (
            gettext("Found no single answer, because several letters are left: %(letters)s.")
            % values
        )
    if scored.outcome == "repeater":
        return gettext(
            "Found no answer, because the response repeats the question or every option."
        )
    return gettext("Found no answer.")


def difference_text(difference: Difference) -> str:
    """Say how many answers a method and the headline method read differently, and how many are right."""
    values = {
        "answers": difference.answers,
        "method": METHODS[difference.method].short,
        "headline": METHODS[difference.headline].short,
        "right": difference.right,
        "headline_right": difference.headline_right,
    }
    return (
        ngettext(
            "%(method)s reads %(answers)s answer differently from %(headline)s."
            " %(method)s counts %(right)s as right, %(headline)s %(headline_right)s.",
            "%(method)s reads %(answers)s answers differently from %(headline)s. %(method)s"
            " counts %(right)s of them as right, %(headline)s %(headline_right)s.",
            difference.answers,
        )
        % values
    )


def coverage_text(coverage: Coverage) -> str:
    """Say which answers the figures of a method leave out, or which old version they use, if so."""
    values = {
        "method": METHODS[coverage.method].short,
        "answers": coverage.answers,
        "version": coverage.version,
        "read": coverage.read,
        "newest": coverage.newest_version,
        "newest_read": coverage.newest_read,
    }
    if coverage.is_complete:
        return ""
    if coverage.version is None:
        return gettext("%(method)s has not scored any of the %(answers)s answers yet.") % values
    if coverage.version == coverage.newest_version:
        return gettext("%(method)s has scored %(read)s of %(answers)s answers.") % values
    if coverage.unread:
        return (
            gettext(
                "%(method)s: version %(newest)s has scored %(newest_read)s of %(answers)s answers."
                " The figures are from version %(version)s, which has scored %(read)s."
            )
            % values
        )
    return (
        gettext(
            "%(method)s: version %(newest)s has scored %(newest_read)s of %(answers)s answers."
            " The figures are from version %(version)s, which has scored them all."
        )
        % values
    )
