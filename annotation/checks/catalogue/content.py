"""Checks of what an item says: options that name options, figures that are not there, answers given away."""

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from annotation.checks.catalogue.base import Check, CheckInput, Problem, shorten
from annotation.importers.labels import gettext_noop as _
from annotation.text_fields import option_field
from languages import get_language
from languages.letters import position_of
from languages.option_names import (
    named_letters,
    place_of,
    reference_of,
    speak_of_options,
)

_LETTER: Final = re.compile(r"(?<![A-Za-z0-9Ａ-Ｚ])[A-JＡ-Ｊ](?![A-Za-z0-9])")
_FIGURE: Final = re.compile(
    r"(?:如|见|見|下|上|右|左)(?:列)?(?:图|圖)(?:所示|中|表示|为|為|是|[，,、0-9一二三甲乙]|$)|图[0-9一二三]+所示|圖[0-9一二三]+所示"
    r"|(?:如|见|見|下)表(?:所示|中|[，,])|\b(?:figure|diagram|graph|chart|picture) (?:below|above|shown)\b"
    r"|\b(?:in|see) (?:the )?(?:following |above )?(?:figure|fig\.)|\bas shown (?:below|above|in)"
    r"|(?:དཔེ་རིས|རི་མོ|རིས)་?(?:ལྟར|ནང་ལྟར|གཤམ་གསལ)|ດັ່ງ(?:ໃນ)?ຮູບ|ຮູບ(?:ຂ້າງ|ທາງ)?ລຸ່ມ|зурагт (?:үзүүл|харуул)|доорх зураг"
    r"|رەسىمدە|(?:الشكل|الصورة|الرسم) (?:التالي|أدناه|المجاور|الآتي)",
    re.IGNORECASE,
)
_FIGURE_SIGN: Final = re.compile(
    "图|圖|如表|见表|見表|下表|ig[u.]|iagram|raph|hart|icture|shown|རིས|རི་མོ|ຮູບ|зураг|Зураг|رەسىم|الشكل|الصورة|الرسم"
)
"""Finds something in every text in which _FIGURE does, and is quicker."""
_LEAST_ANSWER: Final = 3
_LATIN_OR_DIGIT: Final = re.compile("[0-9A-Za-z]")


class OptionNames(Check):
    """An option names other options than its source does."""

    code = "option_names_differ"
    severity = "warning"
    family = "parity"
    title = _("Names other options")
    sentence = _("The source names the options %(expected)s, this option names %(found)s.")
    without = MappingProxyType(
        {
            "found": _("The source names the options %(expected)s, this option names none."),
            "expected": _(
                "The source speaks of other options (“%(phrase)s”), this option of none or of others."
            ),
        }
    )
    why = _(
        "“A and B” that became “A and C” makes another option of it, and so does “the first two” that "
        "became “the last two”, or “all of the above” that says nothing of the others any more."
    )
    faulty = _("A和B都对 was rendered `A དང་ C འགྲིག`.")
    sound = _("A和B都对 was rendered `A དང་ B འགྲིག`, or with the letters ཀ and ཁ.")
    fix = _("Name the options that the source names.")
    when_wrong = _(
        "Dismiss the finding where the letter is not the name of an option, or where the translation "
        "speaks of the others in other words; tell us the words, so that they get into the list."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the letters that options name, and else what they say of the place of others."""
        if not given.is_readable or not speak_of_options(
            given.source_options, given.source_language, len(given.options)
        ):
            return
        for at, (source, text) in enumerate(zip(given.source_options, given.options, strict=True)):
            differ = _letters_differ if _LETTER.search(source) else _places_differ
            data = differ(given, source, text)
            if data:
                yield Problem(self.code, self.severity, option_field(at), 0, len(text), data)


def _letters_differ(given: CheckInput, source: str, text: str) -> dict[str, str]:
    """Return the letters that each side names where they differ and the source surely names some."""
    count = len(given.options)
    wanted = named_letters(source, given.source_language, count)
    found = named_letters(text, given.target_language, count)
    if not wanted or wanted == found or not _speaks(source, given.source_language, count):
        return {}
    return {"expected": ", ".join(sorted(wanted)), "found": ", ".join(sorted(found))}


def _places_differ(given: CheckInput, source: str, text: str) -> dict[str, str]:
    """Return what an option of the source says of others if its translation does not say the same.

    That is nothing of others at all, other numbers, or the last of them instead of the first.
    """
    count = len(given.options)
    wanted = reference_of(source, given.source_language, count)
    if wanted is None or not get_language(given.target_language).option_names:
        return {}
    data = {"expected": "", "found": "—", "phrase": shorten(source)}
    if not _speaks(text, given.target_language, count):
        return data
    found = place_of(text, given.target_language)
    is_turned = bool(wanted.end and found.end) and wanted.end != found.end
    lost, new = wanted.numbers - found.numbers, found.numbers - wanted.numbers
    return data if is_turned or (lost and new) else {}


def _speaks(option: str, language: str, count: int) -> bool:
    return speak_of_options((option,), language, count)


class FigureMissing(Check):
    """The text speaks of a figure or table, and an item has only text."""

    code = "figure_missing"
    severity = "warning"
    family = "content"
    title = _("Figure that is not there")
    sentence = _("“%(found)s” speaks of a figure or table that the item does not have.")
    needs_source = False
    why = _("Items are text only. Nobody can answer a question about a picture that is not shown.")
    faulty = _("如图所示，选择正确的一项")
    sound = _("The question describes in words what the picture shows.")
    fix = _("Describe the figure in the question, or exclude the item.")
    when_wrong = _("Dismiss the finding where the figure or table is within the text.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if "|" in given.question or "\\begin" in given.question:
            return
        match = _figure_in(given.question)
        own = match or _figure_in(given.source_question)
        if own:
            span = match.span() if match else (0, len(given.question))
            yield Problem(self.code, self.severity, "question", *span, {"found": own[0]})


def _figure_in(text: str) -> re.Match[str] | None:
    return _FIGURE.search(text) if _FIGURE_SIGN.search(text) else None


class AnswerGiven(Check):
    """The question says the right option, and none of the others."""

    code = "answer_given"
    severity = "warning"
    family = "content"
    title = _("Question gives the answer away")
    sentence = _("The question contains the right option “%(answer)s” and none of the others.")
    needs_source = False
    why = _(
        "A model or a person who picks the option that is named in the question is right without knowing anything."
    )
    faulty = _(
        "`The formula of water is H2O. What is the formula of water?` with the option `H2O`."
    )
    sound = _("`What is the formula of water?`")
    fix = _("Remove the answer from the question.")
    when_wrong = _(
        "Dismiss the finding where the question needs the word, or asks which option it is not."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        place = position_of(given.source_key, len(given.options))
        if place is None:
            return
        ending = get_language(given.target_language).idle_ending
        answer, question = given.options[place].strip().rstrip(ending), given.question
        start = _place_of(answer, question) if len(answer) >= _LEAST_ANSWER else -1
        if start < 0:
            return
        others = [text.strip().rstrip(ending) for n, text in enumerate(given.options) if n != place]
        if not any(option and option in question for option in others):
            data = {"answer": shorten(answer)}
            yield Problem(self.code, self.severity, "question", start, start + len(answer), data)


def _place_of(answer: str, question: str) -> int:
    """Return where an answer stands, not as a part of a longer number, formula or unit; else -1."""
    if answer not in question:
        return -1
    begins = r"(?<![0-9A-Za-z])(?<![0-9][.,])" if _LATIN_OR_DIGIT.match(answer) else ""
    ends = (
        r"(?!(?!e?s\b)[0-9A-Za-z]|[.,/^][0-9A-Za-z])" if _LATIN_OR_DIGIT.match(answer[-1]) else ""
    )
    match = re.search(f"{begins}{re.escape(answer)}{ends}", question)
    return match.start() if match else -1


CHECKS: Final = (OptionNames(), FigureMissing(), AnswerGiven())
