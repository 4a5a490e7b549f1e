"""Texts about methods, about the answers that they find, and about what they have scored."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from endpoints.stops import MODEL_FAULTS, fault_text
from evaluation.results.queries.differences import Difference
from evaluation.results.queries.figures import Coverage, RunResults
from scoring.batch import ScoredExtraction


@dataclass(frozen=True, slots=True)
class MethodLabel:
    """short: the name in tables; label: the name with its origin; rule: what the method does.

    published: the label where reasoning is removed as the published scorer does, "" for the same.
    """

    short: str | Promise
    label: str | Promise
    rule: str | Promise
    published: str | Promise = ""


METHODS: Mapping[str, MethodLabel] = {
    "anchored": MethodLabel(
        _("Anchored"),
        _("Anchored (Lotsawa)"),
        _(
            "Uses the answer that the response marks or states. Otherwise its first or last line"
            " must begin with an option letter, or it must contain the text of exactly one option."
        ),
    ),
    "direct": MethodLabel(
        _("Direct"),
        _("Direct (TLUE, DA)"),
        _("Uses the only option letter that occurs in the response, even if it is part of a word."),
        _("Direct (as published: TLUE, DA)"),
    ),
    "concern_all": MethodLabel(
        _("Concern all"),
        _("Concern all (TLUE, CAA)"),
        _(
            "Ignores complete lists of all options, then uses the only option letter that is left,"
            " even if it is part of a word."
        ),
        _("Concern all (as published: TLUE, CAA)"),
    ),
    "first_option": MethodLabel(
        _("First option"),
        _("First option (Lotsawa)"),
        _("Uses the first thing in the response that can be read as an option letter."),
    ),
    "tmlu": MethodLabel(
        _("TMLU"),
        _("TMLU (as its published script reads direct answers)"),
        _(
            "Uses the first letter before a closing bracket, or else the first letter, in the first"
            " paragraph that looks like an answer, or in the last paragraph."
        ),
    ),
    "tmlu_cot": MethodLabel(
        _("TMLU, reasoned"),
        _("TMLU (as its published script reads chains of thought)"),
        _(
            "Uses the first letter before a closing bracket, or else the first letter, from the last"
            " line that looks like an answer."
        ),
    ),
    "numeric": MethodLabel(
        _("Numeric"),
        _("Numeric (as published: MM-Eval)"),
        _(
            "Uses the last number in the response, in digits of any script. Only for items "
            "whose answer is a number."
        ),
    ),
    "exact": MethodLabel(
        _("Exact"),
        _("Exact (an accepted answer)"),
        _(
            "Compares the last line of the response with the accepted answers of an open-ended "
            "item. Case and marks at the ends do not count."
        ),
    ),
    "judge": MethodLabel(
        _("Judge"),
        _("Judge (a model compares with the reference)"),
        _(
            "A judge model says whether the response to an open-ended item agrees with its "
            "reference. How often people agree with the judge, an extraction audit tells."
        ),
    ),
    "translation": MethodLabel(
        _("Translation"),
        _("Translation (BLEU and chrF++ by sacrebleu)"),
        _(
            "Compares the whole response with the reference of an item that asks for a translation. "
            "It calls nothing right or wrong."
        ),
    ),
    "likelihood": MethodLabel(
        _("Likelihood"),
        _("Likelihood of the letter (MMLU, TMLU)"),
        _("Uses the option whose letter the model finds most probable after the prompt."),
    ),
    "likelihood_text": MethodLabel(
        _("Likelihood, text"),
        _("Likelihood of letter and text (acc of lm-evaluation-harness)"),
        _("Uses the option whose letter and text the model finds most probable."),
    ),
    "likelihood_norm": MethodLabel(
        _("Likelihood, by length"),
        _("Likelihood by length (acc_norm of lm-evaluation-harness)"),
        _("Uses the option whose letter and text are most probable per character."),
    ),
}


def method_texts(name: str, *, is_published: bool) -> MethodLabel:
    """Return the texts of a method for answers read as the published scorer does, or otherwise."""
    texts = METHODS[name]
    return replace(texts, label=texts.published) if is_published and texts.published else texts


KINDS: Mapping[str, str | Promise] = {
    "right": _("right"),
    "wrong": _("wrong"),
    "none": _("no answer"),
    "several": _("several answers"),
    "repeater": _("repeats the question or all options"),
    "refusal": _("refuses"),
    "truncated": _("cut off before an answer"),
    "repeats_shots": _("repeats the examples"),
    "repeats_question": _("repeats the question"),
    "other_language": _("in another language, without an answer"),
    "failed": _("failed: the endpoint did not answer"),
}

CAUSES: Mapping[str, str | Promise] = {
    "knowledge": _("wrong (knowledge)"),
    **{name: KINDS[name] for name in ("refusal", "truncated", "repeats_shots", "repeats_question")},
    "several_answers": _("several answers"),
    "other_language": KINDS["other_language"],
    "no_answer": _("no answer"),
    "": _("not known: scored by an earlier release of Lotsawa"),
}
"""The kinds of errors of answers that are not right."""


def cause_rows(results: RunResults, method: str) -> list[tuple[str, str | Promise, int]]:
    """Return the kinds of errors of a method's answers with their counts, and what the list filters by."""
    found = results.causes.get(method, {})
    return [
        (name if name in KINDS else "", label, found[name])
        for name, label in CAUSES.items()
        if found.get(name)
    ]


def answer_notes(results: RunResults) -> list[str]:
    """Say what is odd about the answers: ones without text, other models, failures of the model."""
    notes = _empty_texts(results)
    notes += [_other_model_text(name, count) for name, count in results.other_models]
    return [*notes, *(_failure_text(text, count) for text, count in model_failures(results))]


def _other_model_text(name: str, count: int) -> str:
    text = ngettext(
        "%(count)s answer names another model: %(name)s.",
        "%(count)s answers name another model: %(name)s.",
        count,
    )
    return text % {"count": count, "name": name}


def _failure_text(reason: str, count: int) -> str:
    text = ngettext(
        "%(count)s question counts as not answered: %(reason)s.",
        "%(count)s questions count as not answered: %(reason)s.",
        count,
    )
    return text % {"count": count, "reason": reason}


def _empty_texts(results: RunResults) -> list[str]:
    empty, only_reasoning = results.kinds.empty, results.kinds.only_reasoning
    if results.is_all_empty and not only_reasoning:
        return [gettext("All answers are empty, so the figures say nothing about the model.")]
    if results.is_all_empty:
        return [
            gettext(
                "No answer has any text outside its reasoning, so the figures say nothing about"
                " the model."
            )
        ]
    values = {"empty": empty, "reasoning": only_reasoning, "answers": results.answered}
    texts = {
        gettext("%(empty)s of %(answers)s answers are empty."): empty,
        gettext(
            "%(reasoning)s of %(answers)s answers have no text outside their reasoning."
        ): only_reasoning,
    }
    return [text % values for text, count in texts.items() if count]


def finish_reasons(results: RunResults) -> list[tuple[str, int]]:
    """Return how the answers ended, as the endpoint says, with counts."""
    return [(name or gettext("not stated"), n) for name, n in results.kinds.finish_reasons]


def model_failures(results: RunResults) -> list[tuple[str, int]]:
    """Return why the model gave no answer, with counts."""
    return [(str(MODEL_FAULTS.get(code, code)), n) for code, n in results.kinds.faults]


def endpoint_failures(results: RunResults) -> list[tuple[str, int]]:
    """Return why the endpoint gave no answer, with counts."""
    counts: Counter[str] = Counter()
    for error, n in results.kinds.failures:
        counts[fault_text(error)] += n
    return counts.most_common()


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
