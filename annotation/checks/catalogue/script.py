"""Checks whether a text is written in the characters of its language."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from annotation.checks.catalogue.base import Check, CheckInput, Problem, Severity, shorten
from annotation.checks.catalogue.numbers import APART
from annotation.checks.catalogue.oddities import NOT_MONGOLIAN, UNKNOWN, foreign_letters, letters_of
from annotation.importers.labels import gettext_noop as _
from languages import get_language
from languages.base import Language
from languages.folding import (
    LATIN_IN_CYRILLIC,
    joined_arabic,
    lao_in_order,
    plain_cyrillic,
    plain_ideographs,
)
from languages.taiwan import mainland_terms, simplified_characters

_HALF: Final = 0.5
_FEWEST_LETTERS: Final = 2
_FEWEST_WORDS: Final = 4
_LOWER: Final = re.compile(r"[^\W\d_]{2}")
_FORM: Final = re.compile(
    "[\u2e80-\u2fd5\uf900-\ufaff\U0002f800-\U0002fa1d]|\u0ecd[\u0ec8-\u0ecb]?\u0eb2|\u0eb3[\u0ec8-\u0ecb]"
    "|[\u0ec8-\u0ecb][\u0eb1\u0eb4-\u0ebb]|\u0ec0\u0ec0|[\ufb50-\ufd3d\ufd50-\ufdfb\ufe80-\ufefc]"
    f"|{LATIN_IN_CYRILLIC.pattern}"
)
_FORM_SIGN: Final = re.compile(
    "[\u2e80-\u2fd5\uf900-\ufaff\U0002f800-\U0002fa1d\u0eb3\u0ec0\u0ec8-\u0ecd"
    "\ufb50-\ufd3d\ufd50-\ufdfb\ufe80-\ufefc\u0400-\u04ffɵƟ]"
)
"""Stands in every text in which `_FORM` finds something."""
_ENGLISH: Final = re.compile(
    "(?<![A-Za-z])[a-z]{2,20}(?: [a-z]{2,20}){2,}|(?<![^\x00])[a-z]{3,20}(?: [a-z]{3,20})+(?![^\x00])"
)
"""Three English words, or two that are all of a field."""
_TIBETAN_SEQUENCE: Final = re.compile(
    "[\x00\n \u0f0b-\u0f14\u25cc](?P<mark>[\u0f71-\u0f7d\u0f80\u0f81\u0f90-\u0fbc])"
    "|[\u0f72\u0f74\u0f7a-\u0f7d\u0f80][\u0f72\u0f74\u0f7a-\u0f7d\u0f80\u0f90-\u0fbc]|\u0f71[\u0f71\u0f90-\u0fbc]"
)
_TIBETAN_MARK: Final = re.compile(
    "[\x00\n \u0f0b-\u0f14\u25cc][\u0f71-\u0fbc]"
    "|[\u0f72\u0f74\u0f7a-\u0f7d\u0f80][\u0f72\u0f74\u0f7a-\u0f7d\u0f80\u0f90-\u0fbc]|\u0f71[\u0f71\u0f90-\u0fbc]"
)
_SEQUENCES: Final = {
    "Tibetan": _TIBETAN_SEQUENCE,
    "Lao": re.compile(
        "[^\u0e80-\u0eff\u200b\u25cc](?P<mark>[\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd])"
        "|(?P<twice>[\u0eb0-\u0ebc\u0ec8-\u0ecb])(?P=twice)|(?!\u0ec0\u0ec0)[\u0ec0-\u0ec4](?=[\u0ec0-\u0ec4\x00])"
        "|[\u0eb1\u0eb4-\u0eb9\u0ebb][\u0ec8-\u0ecb]?[\u0eb1\u0eb4-\u0eb9\u0ebb]|[\u0eb0\u0eb2][\u0ec8-\u0ecb\u0eb1\u0eb4-\u0ebb]"
    ),
    "Mongolian": re.compile(
        "[^\u1820-\u18aa](?P<mark>[\u180b-\u180d\u180f])|[^\u1820-\u18aa\u180b-\u180d]\u180e"
        "|[\x00\\s]\u202f|\u202f(?![\u1820-\u18aa])|\u200d{2}"
    ),
}
"""Searched within a text between two APART."""


class ScriptForm(Check):
    """Characters that only look like the right ones: radicals, other forms, Latin letters, Lao order."""

    code = "wrong_script_form"
    severity = "warning"
    family = "script"
    title = _("Look-alike characters")
    sentence = _(
        "“%(found)s” should be “%(right)s”: it looks the same, but computers read other text."
    )
    needs_source = False
    has_odd_sign = True
    why = _(
        "Text that was copied out of a PDF often has CJK radicals (⼀) or compatibility ideographs "
        "instead of ideographs (一) and forms of joined Arabic letters (ﻛ) instead of letters (ك). Lao has "
        "sara am and its tone mark in several orders, and Cyrillic words have Latin letters that "
        "look the same. Search, comparison and models take them for other text."
    )
    faulty = _("`⾼⼀学⽣`, and `ນໍ້າ` with the circle before the tone mark.")
    sound = _("`高一学生`, and `ນ້ຳ` with the tone mark before sara am.")
    fix = _("Take over the offered repair. It changes nothing that can be seen.")
    when_wrong = _("If the text is about the radical itself, dismiss the finding with that reason.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if not _FORM_SIGN.search(given.target_text):
            return
        for field, source, text in fields_of(given):
            match = _FORM.search(text)
            if match and match[0] not in source:
                last = [*_FORM.finditer(text)][-1]
                found = text[match.start() : last.end()]
                data = {"found": shorten(match[0]), "right": shorten(in_right_form(match[0]))}
                end = match.start() + len(found)
                yield Problem(self.code, self.severity, field, match.start(), end, data)


def in_right_form(text: str) -> str:
    """Return a text with the characters that every look-alike certainly stands for."""
    return plain_cyrillic(joined_arabic(lao_in_order(plain_ideographs(text))))


class SourceLeft(Check):
    """Words of the source are still in its script.

    An error where they are half of a field or more.
    """

    code = "source_left"
    severity = "warning"
    family = "script"
    title = _("Text left untranslated")
    sentence = _("Untranslated: “%(found)s”.")
    has_odd_sign = True
    explains = frozenset({"negation_missing", "blanks_missing"})
    why = _(
        "A system that could not translate a sentence often returns the source. The finding is an "
        "error if half of a field or more is in the script of the source."
    )
    faulty = _("The source asks 下列哪项正确, and so does the translation.")
    sound = _("The translation asks གཤམ་གྱི་གང་ཞིག་འགྲིགས་སམ།")
    fix = _("Translate the field.")
    when_wrong = _(
        "Dismiss the finding where the question is about those words themselves. Latin letters are "
        "no finding: they are often kept."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        source, target = get_language(given.source_language), get_language(given.target_language)
        if source.script in (target.script, "Latin", UNKNOWN):
            return
        pattern = letters_of(source.script)
        if not pattern.search(given.target_text):
            return
        for field, _source, text in fields_of(given):
            found = list(pattern.finditer(text))
            if found:
                letters = sum(len(match[0]) for match in found)
                share = letters / max(sum(map(str.isalpha, text)), 1)
                severity: Severity = "error" if share >= _HALF else self.severity
                data = {"found": shorten(found[0][0])}
                span = found[0].start(), found[-1].end()
                yield Problem(self.code, severity, field, *span, data)


class SourceCopied(Check):
    """A field is the source word for word, in a language of the same script."""

    code = "source_copied"
    severity = "warning"
    family = "script"
    title = _("Same text as the source")
    sentence = _("The text is the source word for word: “%(found)s”.")
    why = _(
        "Where both languages have one script, a text that was not translated looks like any other. It "
        "is reported from four words on."
    )
    faulty = _("The English and the French question both read “What is the capital of Mali?”")
    sound = _("The French question reads “Quelle est la capitale du Mali ?”")
    fix = _("Translate the field.")
    when_wrong = _("Dismiss the finding for titles and quotations that stay as they are.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        languages = get_language(given.source_language), get_language(given.target_language)
        if languages[0].script != languages[1].script:
            return
        for field, source, text in given.pairs:
            if text == source and len(text.split()) >= _FEWEST_WORDS and _LOWER.search(text):
                data = {"found": shorten(text)}
                yield Problem(self.code, self.severity, field, 0, len(text), data)


class OtherScript(Check):
    """Letters of a script that neither the language nor the source has."""

    code = "other_script"
    severity = "warning"
    family = "script"
    title = _("Letters of another script")
    sentence = _("“%(found)s” is not in the script of this language.")
    needs_source = False
    has_odd_sign = True
    why = _(
        "Models sometimes switch to a neighbouring language: Hindi within Tibetan, Thai within Lao, "
        "Cyrillic within Mongolian script."
    )
    faulty = _("A Tibetan question has the Hindi words सही उत्तर.")
    sound = _("The whole question is Tibetan. Latin and Greek letters and signs are fine.")
    fix = _("Translate these words.")
    when_wrong = _(
        "Letters that the same field of the source has are no finding. Dismiss it where the question "
        "is about another script."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        source, target = get_language(given.source_language), get_language(given.target_language)
        looks = [
            (pattern, fewest)
            for pattern, fewest in (
                (foreign_letters(target.script, source.script), _FEWEST_LETTERS),
                (_ENGLISH if target.script != "Latin" else None, 1),
                (NOT_MONGOLIAN if target.code == "mn" else None, 1),
            )
            if pattern and pattern.search(given.target_text)
        ]
        for field, original, text in fields_of(given) if looks else ():
            for pattern, fewest in looks:
                found = [match for match in pattern.finditer(text) if match[0] not in original]
                if sum(len(match[0]) for match in found) >= fewest:
                    data = {"found": shorten(found[0][0])}
                    span = found[0].start(), found[-1].end()
                    yield Problem(self.code, self.severity, field, *span, data)
                    break


class InvalidSequence(Check):
    """Marks that no letter carries, or twice the same mark on one."""

    code = "invalid_sequence"
    severity = "warning"
    family = "script"
    title = _("Impossible sequence of characters")
    sentence = _("“%(found)s” cannot stand here: the mark has no letter, or there are two of it.")
    needs_source = False
    why = _(
        "A vowel or tone mark without its letter, a doubled mark, or a Mongolian variation selector "
        "after something else is drawn wrongly and read wrongly."
    )
    faulty = _("`་ིག` has a vowel sign without a letter.")
    sound = _("`ཡིག` has it on its letter.")
    fix = _("Type the word again.")
    when_wrong = _("Dismiss the finding where a question shows a mark by itself.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        pattern = _SEQUENCES.get(get_language(given.target_language).script)
        text = f"{APART}{given.target_text}{APART}"
        if pattern is None or not (
            _may_be_broken(text) if pattern is _TIBETAN_SEQUENCE else pattern.search(text)
        ):
            return
        for field, source, text in fields_of(given):
            for match in pattern.finditer(f"{APART}{text}{APART}"):
                found = match[0].strip(APART)
                if found not in source:
                    start = max(match.start() - 1, 0)
                    span = start, min(max(match.end() - 1, start + 1), len(text))
                    yield Problem(self.code, self.severity, field, *span, {"found": found})
                    break


def _may_be_broken(tibetan: str) -> bool:
    """Look with less than the whole pattern, since Tibetan text is all letters and marks."""
    return _TIBETAN_MARK.search(tibetan) is not None


class SimplifiedCharacters(Check):
    """Simplified characters in a text in traditional ones."""

    code = "simplified_characters"
    severity = "warning"
    family = "script"
    title = _("Simplified characters")
    sentence = _("Simplified characters: %(found)s.")
    needs_source = False
    why = _(
        "Text in traditional characters with single simplified ones was converted badly or copied. "
        "The characters are those that OpenCC lists as simplified only."
    )
    faulty = _("`下列敘述何者为真` has the simplified 为.")
    sound = _("`下列敘述何者為真`")
    fix = _("Write the traditional character. Where only one is possible, a repair is offered.")
    when_wrong = _("Dismiss the finding where the question is about simplified characters.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if not is_traditional(get_language(given.target_language)):
            return
        pattern = simplified_characters()
        for field, _source, text in fields_of(given):
            found = list(pattern.finditer(text))
            if found:
                data = {"found": shorten("".join(dict.fromkeys(match[0] for match in found)))}
                span = found[0].start(), found[-1].end()
                yield Problem(self.code, self.severity, field, *span, data)


class MainlandTerms(Check):
    """Terms of mainland China in a text for Taiwan."""

    code = "mainland_terms"
    severity = "info"
    family = "script"
    title = _("Mainland terms")
    sentence = _("In Taiwan people say %(right)s, not %(found)s.")
    needs_source = False
    why = _(
        "A text that was only converted from simplified to traditional characters still has the "
        "technical terms of mainland China. The terms are those of OpenCC."
    )
    faulty = _("`計算機的軟件`")
    sound = _("`電腦的軟體`")
    fix = _("Use the term of Taiwan.")
    when_wrong = _("Dismiss the finding where the term is a name or also usual in Taiwan.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if not is_traditional(get_language(given.target_language)):
            return
        pattern, terms = mainland_terms()
        for field, _source, text in fields_of(given):
            match = pattern.search(text)
            if match:
                data = {"found": match[0], "right": terms[match[0]]}
                yield Problem(self.code, self.severity, field, *match.span(), data)


def is_traditional(language: Language) -> bool:
    return language.code == "zh-Hant"


class OpensWithMark(Check):
    """A field begins with a mark that can only end something."""

    code = "opens_with_mark"
    severity = "warning"
    family = "script"
    title = _("Text begins with a closing mark")
    sentence = _("The text begins with “%(mark)s”, so something before it may be missing.")
    needs_source = False
    why = _(
        "A text that begins with a shad, a comma or a full stop usually lost its beginning, or the "
        "mark belongs to the end of the text before."
    )
    faulty = _("Option B is `།ལྷ་ས།`.")
    sound = _("Option B is `ལྷ་ས།`.")
    fix = _("Remove the mark, or restore what stood before it.")
    when_wrong = _("A mark with which the source begins as well is no finding.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        marks = _closing_marks(get_language(given.target_language))
        for field, source, text in fields_of(given):
            if text and text[0] in marks and text[0] != source[:1] and text.strip(marks):
                bare = len(text) - len(text.lstrip(marks))
                yield Problem(self.code, self.severity, field, 0, bare, {"mark": text[0]})


def fields_of(given: CheckInput) -> list[tuple[str, str, str]]:
    """Return the name, source and text of each field; '' for the source where none can be paired."""
    if given.pairs:
        return list(given.pairs)
    return [("question", given.source_text, given.question)]


@lru_cache(maxsize=64)
def _closing_marks(language: Language) -> str:
    opening = "༄༅༆༇༈¿¡᠀"
    return "".join(
        mark for mark in f"{language.sentence_marks}。，、；：！？,;" if mark not in opening
    )


CHECKS: Final = (
    ScriptForm(),
    SourceLeft(),
    SourceCopied(),
    OtherScript(),
    InvalidSequence(),
    SimplifiedCharacters(),
    MainlandTerms(),
    OpensWithMark(),
)
