"""Anchored answers (ours): a marked or stated answer, a bare option code, or one option's text."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from languages import all_statements
from languages.base import Statement
from languages.folding import fold
from languages.letters import FULL_WIDTH, LETTERS
from scoring.scorers.base import AskedItem, Extraction, Reading, Scorer, settle
from scoring.scorers.first_option import option_code
from scoring.scorers.letters import OptionLetters

_DECORATION = r"""[\s*_`"'“”‘’«»(（\[【「『《<\\$]*+"""
_CLOSING = r"""[\s*_`"'“”‘’«»)）\]】」』》>$}]{0,8}+"""
_SPACED_SCRIPT = r"[\p{Latin}\p{Cyrillic}\p{N}]"
_NOT_CODE = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_LINE = re.compile(r"[^\n]+")
_QUESTION_MARKS = "?？؟"
_NEAR = 40
"""How many characters before a statement are searched for a denial."""

_BOXED = regex.compile(r"\\(?:boxed|fbox)\s{0,4}+\{((?:[^{}]|\{[^{}]{0,200}\}){0,300}+)\}")
_TAGGED = regex.compile(
    r"<(?:(?:final_?|correct_?|my_?)?(?:answer|choice|option))\s{0,4}>([^<]{0,400}+)</", regex.I
)
_FIELD = (
    r"""["'](?:{names})["']\s{{0,8}}+[:：]\s{{0,8}}+"""
    r"""(?:"([^"\\\n]{{0,400}}+)"|'([^'\\\n]{{0,400}}+)'|\[([^\[\]]{{0,200}}+)\])"""
)
_FIELD_NAMES = (
    *("answer", "final_answer", "finalanswer", "final answer", "correct_answer", "letter"),
    *("correct_option", "choice", "option", "selected_option", "prediction"),
)
_LATEX = re.compile(r"\\(?:text(?:bf|rm|it|sf)?|math(?:bf|rm|it|sf)|bf|rm|displaystyle)\b|[{}$]")


def extract(reading: Reading) -> Extraction:
    r"""Return the letter that the response states. Each step applies if those before found none.

    1. An answer that is marked for a program: `\boxed{B}`, `<answer>B</answer>`, `{"answer": "B"}`.
    2. Statements ("answer is B", "I choose B", "答案：B", "ལན་ནི་B"), in the words of all languages
       (`Language.statement`). They may also name the text of an option.
    3. Statements that follow the letter ("B is correct").
    4. A response whose first or last line begins with an option code: "B", "D) because…".
    5. A response that contains the text of exactly one option.

    If a step finds different letters, there are several answers. But after "wait" or "finally",
    statements before no longer count. Two letters with "or" or "and" are several answers. A letter
    that is denied ("not B") or that a question asks about is none. A list of all options states
    nothing, even after "options:".
    """
    asked = reading.asked
    words = _words(asked.letters, all_statements())
    steps = (_marked, _stated, _called_right, _coded_lines, _repeated_options)
    for step in steps:
        if found := step(reading.text, asked, words):
            letters = [letter for each in found for letter in each.letters]
            return settle(letters, asked.letters.count)._replace(span=_only_span(found))
    return Extraction(None, failure="no_answer")


class _Found(NamedTuple):
    """The letters that one place of the text states; the end is -1 if the place is not known."""

    start: int
    end: int
    letters: list[str]


def _only_span(found: list[_Found]) -> tuple[int, int] | None:
    """Return the last place if all places state the same letter."""
    is_one = len({letter for each in found for letter in each.letters}) == 1
    return (found[-1].start, found[-1].end) if is_one and found[-1].end >= 0 else None


class _Words(NamedTuple):
    """The compiled words of all languages, for the letters of one item."""

    field: regex.Pattern[str]
    lead_in: regex.Pattern[str]
    code: regex.Pattern[str]
    join: regex.Pattern[str]
    comma: regex.Pattern[str]
    right: regex.Pattern[str]
    denied_before: regex.Pattern[str]
    denied_after: regex.Pattern[str]
    final: regex.Pattern[str]
    line_code: regex.Pattern[str]


@lru_cache(maxsize=64)
def _words(letters: OptionLetters, statements: tuple[Statement, ...]) -> _Words:
    def words(name: str) -> str:
        return _any_of(word for each in statements for word in getattr(each, name))

    code, names = _code(letters, statements), words("names")
    linked = "|".join(
        rf"(?:{_any_of(each.nouns)}){_DECORATION}{_CLOSING}"
        rf"(?:(?:{_any_of(each.links)})|་?[:：=]|[-–—]{{1,3}}\s|(?<=[\]】])|(?<=\n))"
        for each in statements
    )
    fields = _any_of((*_FIELD_NAMES, *(noun for each in statements for noun in each.nouns)))
    return _Words(
        field=regex.compile(_FIELD.format(names=fields), regex.I),
        lead_in=regex.compile(
            rf"(?<!{_SPACED_SCRIPT})(?i:{linked}|(?:{words('verbs')})){_DECORATION}[:：།]?"
            rf"{_DECORATION}(?:(?i:{names}){_DECORATION})?"
        ),
        code=regex.compile(code),
        join=regex.compile(
            rf"{_CLOSING}(?i:{words('joins')}|[/&＆／]){_DECORATION}(?P<code>{code})"
        ),
        comma=regex.compile(
            rf"{_CLOSING}[,，、]{_DECORATION}(?P<code>{code})(?={_CLOSING}(?:$|[,，、.。།;；\n]))"
        ),
        right=regex.compile(rf"(?P<code>{code}){_CLOSING}(?i:{words('rights')})"),
        denied_before=regex.compile(rf"(?i:{words('denials_before')}){_DECORATION}$"),
        denied_after=regex.compile(rf"{_CLOSING}(?i:{words('denials_after')})"),
        final=regex.compile(rf"(?<!{_SPACED_SCRIPT})(?i:{words('finals')})"),
        line_code=regex.compile(
            rf"[\s*_`#>$({{（\[【「《\"'“‘]{{0,12}}+(?:(?i:{names}){_DECORATION})?(?P<code>{code})"
            rf"(?:{_CLOSING}$|[*_`\])）】」\"']*+[.．、:：)）\]】,，;；།]|[*_`)）】」]++|\s++[-–—=]|\s*+[\(（])"
        ),
    )


def _any_of(phrases: Iterable[str]) -> str:
    longest_first = sorted(dict.fromkeys(phrases), key=len, reverse=True)
    return "|".join(map(_phrase, longest_first)) or "(?!)"


def _phrase(words: str) -> str:
    """Return a pattern of a phrase, which ends where a word does in scripts that part words."""
    pattern = regex.escape(words, literal_spaces=True).replace(" ", r"\s{1,4}+")
    return (
        rf"{pattern}(?![\p{{Latin}}\p{{Cyrillic}}])"
        if (regex.search(r"[\p{Latin}\p{Cyrillic}]$", words))
        else pattern
    )


def _code(letters: OptionLetters, statements: tuple[Statement, ...]) -> str:
    """Return a pattern for an option code that follows a statement.

    Other than in `option_code`, nothing need part it from the statement, and words such as "is" may
    be joined to it in scripts that write no spaces.
    """
    latin = LETTERS[: letters.count] + FULL_WIDTH[: letters.count]
    patterns = [rf"(?<!\p{{Latin}})[{latin}](?![\p{{Latin}}\p{{M}}\p{{N}}_°])(?![-‐'’]\p{{L}})"]
    if letters.script:
        followers = _any_of(word for each in statements for word in each.followers)
        spaced = rf"(?<!{_SPACED_SCRIPT})(?<!\p{{Tibetan}}(?<!་))"
        joined = rf"(?=་(?:{followers})(?![\u0f40-\u0fbc]))"
        patterns.append(
            rf"{spaced}[{regex.escape(letters.valid_script)}](?:(?![\p{{L}}\p{{M}}\p{{N}}_])(?!་\p{{L}})"
            rf"(?!['’]\p{{L}})|{joined})"
        )
    return f"(?:{'|'.join(patterns)})"


def _marked(text: str, asked: AskedItem, words: _Words) -> list[_Found]:
    """Return the marked answers; a mark around something else than an answer is none."""
    kinds = (("\\", _BOXED), ("</", _TAGGED), (":", words.field), ("：", words.field))
    found = [
        _Found(match.start(), match.end(), letters)
        for pattern in dict.fromkeys(pattern for sign, pattern in kinds if sign in text)
        for match in pattern.finditer(text)
        if (letters := _inside(next(filter(None, match.groups()), ""), asked, words))
    ]
    return _last_word(text, sorted(found), words)


def _inside(content: str, asked: AskedItem, words: _Words) -> list[str]:
    """Return the letters of a marked answer, where a lower-case letter is a code as well."""
    content = _LATEX.sub("", content).strip()
    if len(content) == 1:
        content = content.upper()
    if match := words.line_code.match(content):
        return _with_joined(content, match.start("code"), asked, words)
    if index := _option_at(content, asked):
        return [asked.letters.latin[index - 1]]
    return [letter for each in _stated(content, asked, words) for letter in each.letters]


def _stated(text: str, asked: AskedItem, words: _Words) -> list[_Found]:
    return _last_word(text, _statements(text, asked, words), words)


def _statements(text: str, asked: AskedItem, words: _Words) -> Iterator[_Found]:
    for lead in words.lead_in.finditer(text):
        if words.denied_before.search(text, max(0, lead.start() - _NEAR), lead.start()):
            continue
        end = lead.end()
        if words.code.match(text, end):
            letters = _with_joined(text, end, asked, words)
            if letters and not _lists_options(text, end, asked.letters):
                yield _Found(lead.start(), end + 1, letters)
        elif index := _option_at(text[end : end + 400], asked):
            option_end = end + len(asked.options[index - 1])
            yield _Found(lead.start(), option_end, [asked.letters.latin[index - 1]])


def _with_joined(text: str, start: int, asked: AskedItem, words: _Words) -> list[str]:
    """Return the letter at `start` and those that "or" and "and" join to it, without denied ones."""
    found = []
    while True:
        end = start + 1
        letter = asked.letters.latin_of(text[start])
        denied = words.denied_after.match(text, end)
        if (
            letter
            and not denied
            and text[end : end + 2].lstrip(" )）*")[:1] not in (*_QUESTION_MARKS,)
        ):
            found.append(letter)
        joined = words.join.match(text, end) or words.comma.match(text, end)
        if joined is None:
            return found
        start = joined.start("code")


def _last_word(text: str, statements: Iterable[_Found], words: _Words) -> list[_Found]:
    """Return all statements since the last one that replaces those before."""
    kept: list[_Found] = []
    position = 0
    for found in statements:
        if kept and words.final.search(text, position, found.end):
            kept = []
        kept.append(found)
        position = found.end
    return kept


def _lists_options(text: str, start: int, letters: OptionLetters) -> bool:
    """Whether a list of all options begins here, each with a mark after its letter."""
    position = start
    for latin in letters.latin:
        index = letters.latin.index(latin)
        signs = {latin, FULL_WIDTH[index], letters.valid_script[index : index + 1] or latin}
        ends = [
            text.find(sign + mark, position, position + 500)
            for sign in signs
            for mark in ".)）、:："
        ]
        reached = min((end for end in ends if end >= 0), default=-1)
        if reached < 0 or (latin == "A" and reached != start):
            return False
        position = reached + 1
    return True


def _called_right(text: str, asked: AskedItem, words: _Words) -> list[_Found]:
    return _last_word(text, _rights(text, asked, words), words)


def _rights(text: str, asked: AskedItem, words: _Words) -> Iterator[_Found]:
    for match in words.right.finditer(text):
        is_asked = text[match.end() : match.end() + 1] in (*_QUESTION_MARKS,)
        before = max(0, match.start() - _NEAR)
        letter = asked.letters.latin_of(match["code"])
        if letter and not is_asked and not words.denied_before.search(text, before, match.start()):
            yield _Found(match.start(), match.end(), [letter])


def _coded_lines(text: str, asked: AskedItem, words: _Words) -> list[_Found]:
    """Return the codes that begin lines, if the first or the last line is one."""
    if bare := _bare_code(text, asked.letters):
        return [bare]
    lines = [line for line in _LINE.finditer(text) if line[0].strip()]
    matches = [words.line_code.match(line[0].rstrip()) for line in lines]
    if not lines or not (matches[0] or matches[-1]):
        return []
    found = []
    for line, match in zip(lines, matches, strict=True):
        if match and (letters := _with_joined(line[0], match.start("code"), asked, words)):
            place = line.start() + match.start("code")
            found.append(_Found(place, place + 1, letters))
    return found


def _bare_code(text: str, letters: OptionLetters) -> _Found | None:
    bare = _NOT_CODE.sub("", text) if len(text) < 64 else ""
    match = option_code(letters).search(text) if len(bare) == 1 else None
    letter = letters.latin_of(bare) if match else None
    return _Found(*match.span(), [letter]) if match and letter else None


def _repeated_options(text: str, asked: AskedItem, words: _Words) -> list[_Found]:
    """Return the letters of the options whose text the response contains, longest texts first.

    A text that has been found is removed, so that a shorter option inside it does not count too.
    One that is denied right before does not count.
    """
    options = asked.options[: asked.letters.count]
    if not options:
        return []
    rest = _plain(text)
    found = []
    wanted = [(_plain(option), index) for index, option in enumerate(options)]
    for option, index in sorted(wanted, reverse=True, key=lambda pair: (len(pair[0]), pair[1])):
        if option and (match := (pattern := _whole(option)).search(rest)):
            before = max(0, match.start() - _NEAR)
            if not words.denied_before.search(rest, before, match.start()):
                start = text.find(options[index])
                end = start + len(options[index]) if start >= 0 else start
                found.append(_Found(start, end, [asked.letters.latin[index]]))
            rest = pattern.sub("\n", rest)
    return found


def _option_at(text: str, asked: AskedItem) -> int:
    """Return the number, from 1, of the longest option whose text stands at the start; else 0."""
    plain = _plain(text)
    best, longest = 0, 0
    for number, option in enumerate(asked.options[: asked.letters.count], 1):
        wanted = _plain(option)
        if len(wanted) > longest and plain.startswith(wanted) and _whole(wanted).match(plain):
            best, longest = number, len(wanted)
    return best


def _plain(text: str) -> str:
    return " ".join(fold(text).casefold().split())


@lru_cache(maxsize=1024)
def _whole(option: str) -> regex.Pattern[str]:
    """Match the option's text, but not inside a longer word in scripts that put spaces between words."""
    before = rf"(?<!{_SPACED_SCRIPT})" if regex.match(_SPACED_SCRIPT, option[0]) else ""
    after = rf"(?!{_SPACED_SCRIPT})" if regex.match(_SPACED_SCRIPT, option[-1]) else ""
    return regex.compile(before + regex.escape(option) + after)


SCORER = Scorer("anchored", "2", extract, published_name="anchored")
