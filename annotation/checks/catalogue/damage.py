"""Checks for what programs leave in a text: broken characters, markup, escapes and a model's own words."""

import html
import re
from collections.abc import Iterator
from typing import Final

import ftfy
from ftfy.badness import is_bad

from annotation.checks.catalogue.base import Check, CheckInput, Problem, shorten
from annotation.checks.catalogue.repeats import added_copy, added_loop, find_loop
from annotation.checks.catalogue.script import fields_of
from annotation.importers.labels import gettext_noop as _
from languages import get_language
from languages.chatter import CHATTER, LABEL_WORDS, PROMPT_LABELS, may_be_chatter

_BROKEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff]+")
HIDDEN: Final = re.compile(
    "[\u034f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0e\ufe0f\ufeff]|(?<![\u1800-\u18aa])[\u180b-\u180e]|(?<![\xad\u200b])[\xad\u200b]++\\Z"
)
"""A soft hyphen or a space of no width parts words, so that it is idle only where a text ends."""
_HIDDEN_SIGN: Final = re.compile(
    "[\u034f\u180b-\u180e\u2028-\u202e\u2060-\u2069\ufe0e\ufe0f\ufeff\xad\u200b\ue000-\uf8ff]"
)
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]+")
EATEN: Final = re.compile(
    "\x08(?:eta|egin|ar|inom|f|ullet)|\x0c(?:rac|orall|lat)|\x0b(?:ec|arphi|arepsilon|ee)|\x07(?:lpha|pprox|ngle)"
    "|\t(?:imes|heta|an|au|ext|riangle|o(?![a-z])|herefore)|\n(?:u(?![a-z])|eq|abla|otin|e(?![a-z])|i(?![a-z]))"
    "|\r(?:ho|ight|angle|m(?![a-z]))"
)
_MOJIBAKE: Final = re.compile(
    "[\u00c2-\u00f4\u0402-\u045f][\u0080-\u00bf\u0152-\u017e\u02c6\u02dc\u2013-\u2044\u20ac\u2122\u00a0-\u00ff]"
)
ENTITY: Final = re.compile(
    r"&(?:[A-Za-z]{2,10}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});|&(?:nbsp|quot|lt|gt|amp)(?![A-Za-z;=])"
)
_TAG: Final = re.compile(
    r"</?(?:a|b|br|code|div|em|font|h[1-6]|hr|i|img|li|ol|p|pre|small|span|strong|sub|sup|table|tbody|td|th|tr|u|ul)"
    r"(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_ESCAPE: Final = re.compile(
    r"\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\[\"'/]|\\\\(?=[A-Za-z]{2}|[%{])|\\[nrt](?![A-Za-z])|\\n(?=[A-D]\.)"
)
_MARKDOWN: Final = re.compile(
    r"```|(?<![*\w])\*\*(?![\s*])|(?<=[^\s*])\*\*(?!\w)|(?m:^#{1,6} )|(?m:^> )|<think>|<\|[a-z_]{1,20}\|>|\[/?INST\]"
    r"|</?(?:s|unk|pad|bos|eos|mask|translation|translated|output|answer|text)>|\[(?:UNK|PAD|MASK|CLS|SEP|TRANSLATION)\]"
    r"|<0x[0-9A-F]{2}>|【(?:译文|譯文|翻译|翻譯)】|(?m:^-{3,}$)"
)
_EMPTY: Final = re.compile(
    r"“\s*”|''|<\s*>|‘\s*’|《\s*》|〈\s*〉|「\s*」|『\s*』|«\s*»|\{\s*\}|\"\""
)
_OPENING: Final = re.compile(r"''|[<“‘《〈「『«{\"]|[(（\[【]\s*[)）\]】]")
_MARKDOWN_SIGN: Final = re.compile(r"[`*#<>\[【]|---")
_ROUND: Final = re.compile(r"[(（\[【]\s*[)）\]】]")
_BLANK: Final = re.compile(r"[(（\[【_＿…—]")
_IDLE: Final = " .。?？:：།༎\n"
_LETTER: Final = re.compile(r"[^\W\d_]")
_SHOWN: Final = 4


class BrokenCharacters(Check):
    """Characters that stand for nothing: U+FFFD, control characters."""

    code = "broken_characters"
    severity = "error"
    family = "damage"
    title = _("Broken characters")
    sentence = _("%(found)s is what is left of a character or a formula that was read wrongly.")
    needs_source = False
    has_odd_sign = True
    explains = frozenset({"formulas_differ"})
    joined_value = "found"
    why = _(
        "U+FFFD (�) stands where a program could not read a character. A form feed before `rac` is what "
        r"JSON makes of `\frac` with a single backslash: the formula is lost."
    )
    faulty = _("`གཤམ་གྱི་��གང་`, or a form feed and `rac{1}{2}`.")
    sound = _(r"`གཤམ་གྱི་གང་`, and `\frac{1}{2}`.")
    fix = _("Type the lost characters again. Backslashes that JSON took are offered as a repair.")
    when_wrong = _("Never: these characters have no meaning in a text.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        for field, _source, text in fields_of(given):
            for pattern in (EATEN, _BROKEN):
                match = pattern.search(text)
                if match:
                    data = {"found": " ".join(f"U+{ord(sign):04X}" for sign in match[0][:1])}
                    yield Problem(self.code, self.severity, field, *match.span(), data)
                    break


class HiddenCharacters(Check):
    """Direction marks and byte order marks within a text, and characters of private use."""

    code = "hidden_characters"
    severity = "warning"
    family = "damage"
    title = _("Hidden or private characters")
    sentence = _("The text holds the character %(found)s, which others do not see.")
    needs_source = False
    has_odd_sign = True
    why = _(
        "Characters that change the direction of text, and byte order marks, change what a model reads "
        "but not what a reviewer sees. Characters of private use look right only with one font."
    )
    faulty = _("A text with U+202E, U+FEFF or U+E000.")
    sound = _("The same text without them.")
    fix = _(
        "Remove hidden characters; a repair is offered. Replace private ones by the real character."
    )
    when_wrong = _("Dismiss the finding where the source has the character for a reason.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        for field, source, text in fields_of(given):
            if not _HIDDEN_SIGN.search(text):
                continue
            match = HIDDEN.search(text) or _PRIVATE.search(text)
            if match and match[0] not in source:
                data = {"found": f"U+{ord(match[0][0]):04X}"}
                yield Problem(self.code, self.severity, field, *match.span(), data)


class Mojibake(Check):
    """Text that was decoded with the wrong encoding."""

    code = "mojibake"
    severity = "error"
    family = "damage"
    title = _("Garbled text")
    sentence = _("“%(found)s” was read in the wrong encoding; it may be “%(right)s”.")
    needs_source = False
    has_odd_sign = True
    explains = frozenset(
        {"latin_terms_missing", "numbers_differ", "broken_characters", "other_script"}
    )
    why = _(
        "A file in UTF-8 that a program reads as Latin-1 or Windows-1252 turns into signs like `Ã©`."
    )
    faulty = _("`cafÃ©`")
    sound = _("`café`")
    fix = _("Take over the offered repair, or import the file again as UTF-8.")
    when_wrong = _("Dismiss the finding where the signs are meant.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        for field, _source, text in fields_of(given):
            match = _MOJIBAKE.search(text)
            if match and is_bad(text):
                right = ftfy.fix_encoding(text)
                if right != text:
                    data = {"found": shorten(text), "right": shorten(right)}
                    yield Problem(self.code, self.severity, field, match.start(), len(text), data)


class HtmlLeft(Check):
    """HTML entities or tags that the source does not have."""

    code = "html_left"
    severity = "warning"
    family = "damage"
    title = _("HTML in the text")
    sentence = _("HTML in the text: “%(found)s”.")
    needs_source = False
    has_odd_sign = True
    joined_value = "found"
    why = _(
        "A text that went through a web page or a translation service may come back with HTML in it."
    )
    faulty = _("`A &lt; B`")
    sound = _("`A < B`")
    fix = _("Write the sign itself. For entities a repair is offered.")
    when_wrong = _("HTML that the same field of the source has is no finding.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        for field, source, text in fields_of(given):
            for pattern in (ENTITY, _TAG):
                match = pattern.search(text)
                if match and match[0] not in source and html.unescape(match[0]) not in _KEPT_TAGS:
                    data = {"found": shorten(match[0])}
                    yield Problem(self.code, self.severity, field, *match.span(), data)
                    break


_KEPT_TAGS: Final = frozenset({"<u>"})


class EscapesLeft(Check):
    """Escapes of a programming language that the source does not have."""

    code = "escapes_left"
    severity = "warning"
    family = "damage"
    title = _("Escape sequence in the text")
    sentence = _("“%(found)s” is an escape of a program, not text.")
    needs_source = False
    has_odd_sign = True
    explains = frozenset({"formulas_differ"})
    joined_value = "found"
    why = _(
        r"`\"`, `\u2167` and doubled backslashes are how programs write text down. Formulas with doubled "
        "backslashes are not shown as formulas."
    )
    faulty = _(r"`he said \"yes\"`, `$\\frac{1}{2}$`")
    sound = _(r'`he said "yes"`, `$\frac{1}{2}$`')
    fix = _("Write the character itself. A repair is offered where only one character is possible.")
    when_wrong = _("An escape that the same field of the source has is no finding.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        for field, source, text in fields_of(given):
            if "\\" not in text:
                continue
            match = next((m for m in _ESCAPE.finditer(text) if not _has(source, m)), None)
            if match:
                data = {"found": shorten(text[match.start() : match.end() + _SHOWN])}
                yield Problem(self.code, self.severity, field, *match.span(), data)


def _has(source: str, escape: re.Match[str]) -> bool:
    r"""Return whether a source has an escape too; a doubled backslash counts with its command."""
    is_doubled = escape[0] == r"\\"
    end = escape.end() + (_SHOWN if is_doubled else 0)
    return escape.string[escape.start() : end] in source


class MarkupLeft(Check):
    """Markdown or a model's own marks that the source does not have."""

    code = "markup_left"
    severity = "warning"
    family = "damage"
    title = _("Markdown in the text")
    sentence = _("“%(found)s” is Markdown or a mark of a language model.")
    needs_source = False
    has_odd_sign = True
    why = _("Models answer in Markdown. Its fences, stars and headings are not part of the text.")
    faulty = _("A text between two lines of three backticks.")
    sound = _("The text without them.")
    fix = _("Remove the marks.")
    when_wrong = _("Marks that the same field of the source has are no finding.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if not _MARKDOWN_SIGN.search(given.target_text):
            return
        for field, source, text in fields_of(given):
            match = next((m for m in _MARKDOWN.finditer(text) if m[0] not in source), None)
            if match:
                data = {"found": shorten(match[0])}
                yield Problem(self.code, self.severity, field, *match.span(), data)


class Chatter(Check):
    """A language model speaks to the person who asked it, or refuses to translate."""

    code = "model_chatter"
    severity = "error"
    family = "damage"
    title = _("A model’s own words")
    sentence = _("“%(found)s” is what a language model says to its user.")
    needs_source = False
    explains = frozenset({"other_script"})
    why = _("“Sure! Here is the translation” and “I’m sorry, but I can’t” are no part of an item.")
    faulty = _("`Sure! Here is the Tibetan translation: གཤམ་གྱི་གང་འགྲིགས་སམ།`")
    sound = _("`གཤམ་གྱི་གང་འགྲིགས་སམ།`")
    fix = _("Remove the model’s words. If it refused, translate the text.")
    when_wrong = _("Words that the same field of the source has are no finding.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if not may_be_chatter(given.target_text):
            return
        for field, source, text in fields_of(given):
            match = CHATTER.search(text)
            if match and match[0] not in source:
                data = {"found": shorten(match[0])}
                yield Problem(self.code, self.severity, field, *match.span(), data)


class PromptLabel(Check):
    """A field begins with the word of a prompt: “Question:”, 问题：, དྲི་བ།."""

    code = "prompt_label"
    severity = "warning"
    family = "damage"
    title = _("Label of a prompt in the text")
    sentence = _("“%(found)s” belongs to a prompt, not to the text.")
    needs_source = False
    explains = frozenset({"label_in_text"})
    why = _("Prompts name their parts, and models repeat these names in front of the translation.")
    faulty = _("`དྲི་བ། རྒྱལ་ས་གང་ཡིན།`")
    sound = _("`རྒྱལ་ས་གང་ཡིན།`")
    fix = _("Remove the word and its mark.")
    when_wrong = _("A label with which the source begins as well is no finding.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        for field, source, text in fields_of(given):
            match = PROMPT_LABELS.match(text)
            if match and not LABEL_WORDS.match(source) and _LETTER.search(text, match.end()):
                data = {"found": shorten(match[0].strip())}
                yield Problem(self.code, self.severity, field, *match.span(), data)


class Repetition(Check):
    """The same piece of text again and again."""

    code = "repeated_text"
    severity = "error"
    family = "damage"
    title = _("Text repeats itself")
    sentence = _("“%(found)s” is there %(count)s times in a row.")
    needs_source = False
    why = _("Models sometimes fall into a loop and repeat one piece until their answer is full.")
    faulty = _("`གང་གང་གང་གང་གང་གང་གང་གང་`")
    sound = _("`གང་`")
    fix = _("Remove the repetition, and look whether the end of the text is missing.")
    when_wrong = _(
        "Text that the source repeats as well is no finding, nor are rows of dots or lines, or a word "
        "or syllable that is there up to five times: many languages say words twice or thrice."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        languages = get_language(given.source_language), get_language(given.target_language)
        may_loop = find_loop(given.target_text, languages[1]) is not None
        for field, source, text in fields_of(given):
            loop = added_loop(source, text, *languages) if may_loop else None
            found = loop or added_copy(source, text)
            if found:
                data: dict[str, str | int] = {"found": shorten(found.piece), "count": found.count}
                yield Problem(self.code, self.severity, field, found.start, found.end, data)


class EmptyBrackets(Check):
    """Brackets or quotation marks with nothing in them, though the source has none."""

    code = "empty_brackets"
    severity = "warning"
    family = "damage"
    title = _("Empty brackets")
    sentence = _("There is nothing within “%(found)s”.")
    why = _("Empty quotation marks or brackets are what is left of a word that got lost.")
    faulty = _("The source says 《红楼梦》, the translation `《》`.")
    sound = _("The translation has the title within the marks.")
    fix = _("Fill in what is missing, or remove the brackets.")
    when_wrong = _("A blank to fill in is no finding if the source has one in the same field.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if not _OPENING.search(given.target_text):
            return
        for field, source, text in fields_of(given):
            match = _EMPTY.search(text) or _empty_blank(field, source, text)
            if match and not _EMPTY.search(source):
                data = {"found": match[0]}
                yield Problem(self.code, self.severity, field, *match.span(), data)


def _empty_blank(field: str, source: str, text: str) -> re.Match[str] | None:
    """Return round brackets that hold nothing; at the end of a question they are where the answer goes."""
    if field != "question":
        return None if _ROUND.search(source) else _ROUND.search(text)
    match = None if _BLANK.search(source) else _ROUND.search(text)
    return match if match and text[match.end() :].strip(_IDLE) else None


CHECKS: Final = (
    BrokenCharacters(),
    HiddenCharacters(),
    Mojibake(),
    HtmlLeft(),
    EscapesLeft(),
    MarkupLeft(),
    Chatter(),
    PromptLabel(),
    Repetition(),
    EmptyBrackets(),
)
