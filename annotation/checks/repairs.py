"""Repairs of texts whose options were divided wrongly: only those that leave no other reading.

Published files were run through a rule that put a line break and a label wherever a capital A to D
stood, and took a closing ག for a C. So a label in such a text is either a label or a letter that
was cut out. A letter is one again where it makes a word of the same field of the source, a ག where
it closes a bare Tibetan syllable. The text is divided only if one choice of labels explains all
the others; where two would do, nothing is offered.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from statistics import median
from typing import Final

from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckInput, Problem
from annotation.checks.catalogue.structure import SPECIES
from annotation.checks.plain_characters import in_plain_characters
from annotation.importers.options import ParsedOptions, parse_options
from languages import get_language
from languages.letters import letter_of, letters_of

LABELS: Final = "labels"
LETTERS: Final = "letters"
OPTIONS: Final = "options"
CHARACTERS: Final = "characters"
_CUT: Final = "ABCD"
_MARK: Final = re.compile(r"[ \t\u3000]{0,50}([A-D])\.(?!\d)[ \t]?")
_LINE: Final = re.compile(r"(?m)^")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_RUN: Final = re.compile(r"[A-Za-z0-9]+")
_DEGREE: Final = re.compile(r"°\s?C|℃")
_BARE_SYLLABLE: Final = re.compile(r"[\u0f40-\u0fbc]$")
_CUT_LETTER_OF_TIBETAN: Final = "C"
_GA: Final = "ག"
_MOST_MARKS: Final = 40
_MOST_CHOICES: Final = 2000
_LONGEST: Final = 20_000
_FREE_CASE: Final = 3
_UNEVEN: Final = 8.0


@dataclass(frozen=True, slots=True)
class Repair:
    """A whole text in the place of a broken one; `steps` says what was done, in this order.

    LABELS: labels were taken out; LETTERS: letters were put back into their words; OPTIONS: the
    options were given their fields; CHARACTERS: single characters were replaced by the ones they stand for.
    """

    steps: tuple[str, ...]
    question: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Mark:
    """A label or a cut letter; `start` is where the white space before it begins."""

    letter: str
    start: int
    end: int
    newlines: int


@dataclass(frozen=True, slots=True)
class _Field:
    """The source of one field, and the words in it into which a letter may be put back."""

    text: str
    words: frozenset[str]
    is_tibetan: bool
    is_latin: bool

    @classmethod
    def of(cls, source: str, target_language: str) -> "_Field":
        language = get_language(target_language)
        words = frozenset(_WORD.findall(_DEGREE.sub(" ", source)))
        return cls(source, words, language.segmentation == "tsheg", language.script == "Latin")


def find_repair(given: CheckInput) -> Repair | None:
    """Return the one text that a broken one must have been, None where that is not certain.

    It has no error any more, and nothing is lost of the text but labels and the space around them.
    """
    if len(given.source_options) < 2 or sum(map(len, (given.question, *given.options))) > _LONGEST:
        return None
    whole = len(given.options) == len(given.source_options) and all(map(str.strip, given.options))
    found = _mended(given) if whole else _divided(given)
    if found and _is_better(given, found):
        return found
    return _in_plain_characters(given)


def _in_plain_characters(given: CheckInput) -> Repair | None:
    """Replace characters that certainly stand for others, where this leaves fewer findings."""
    texts = [given.question, *given.options]
    sources = [given.source_question, *given.source_options]
    sources += [""] * (len(texts) - len(sources))
    question, *options = map(partial(in_plain_characters, given.target_language), texts, sources)
    if [question, *options] == texts:
        return None
    before, after = check_text(given), _problems(given, question, options)
    return Repair((CHARACTERS,), question, tuple(options)) if len(after) < len(before) else None


def _is_better(given: CheckInput, found: Repair) -> bool:
    if (found.question, found.options) == (given.question, tuple(given.options)):
        return False
    after = _problems(given, found.question, found.options)
    before = {(problem.code, problem.field) for problem in check_text(given)}
    is_whole = given.is_readable and all(map(str.strip, given.options))
    is_new = is_whole and any((p.code, p.field) not in before for p in after)
    return (
        not any(problem.severity == "error" for problem in after)
        and not is_new
        and _are_even(given.source_options, found.options)
    )


def _problems(given: CheckInput, question: str, options: Sequence[str]) -> list[Problem]:
    return check_text(replace(given, question=question, options=options, marks=()))


def _are_even(source: Sequence[str], options: Sequence[str]) -> bool:
    ratios = [(len(new) + 1) / (len(old) + 1) for old, new in zip(source, options, strict=True)]
    middle = median(ratios)
    return all(middle / _UNEVEN < ratio < middle * _UNEVEN for ratio in ratios)


def _mended(given: CheckInput) -> Repair | None:
    """Repair each field for itself, where the options have their fields."""
    fields = [("", given.source_question, given.question)]
    fields += [
        (letter_of(n), source, text)
        for n, (source, text) in enumerate(zip(given.source_options, given.options, strict=True))
    ]
    question = _without_glued(given.question, given)
    steps = {OPTIONS} if question != given.question else set()
    fields[0] = ("", given.source_question, question)
    texts = []
    for own, source, text in fields:
        mended, step = _mended_field(text, own, _Field.of(source, given.target_language))
        texts.append(mended)
        steps |= step
    return Repair(_in_order(steps), texts[0], tuple(texts[1:])) if steps else None


def _without_glued(question: str, given: CheckInput) -> str:
    """Return the question without options that it repeats behind their labels."""
    parsed = _parsed(question, given)
    if parsed and parsed.options == tuple(option.strip() for option in given.options):
        return parsed.question
    return question


def _mended_field(text: str, own: str, field: _Field) -> tuple[str, set[str]]:
    """Return a field without strays and with its letters, or as it is where one stays unclear."""
    marks = _marks(text)
    if not marks:
        return text, set()
    strays = [mark for mark in marks if _is_stray(mark, text, own, field)]
    if strays and strays[0].end >= len(text.rstrip()):  # a label at the end, of the next option
        text, marks = text[: strays[0].start].rstrip(), marks[:-1]
    elif strays:
        text = text[strays[0].end :].lstrip()
        marks = _marks(text)
    joined = _joined(text, marks, 0, len(text), field)
    if joined is None or not joined.strip():
        return text, {LABELS} if strays else set()
    return joined, {step for step, is_done in ((LABELS, strays), (LETTERS, marks)) if is_done}


def _is_stray(mark: _Mark, text: str, own: str, field: _Field) -> bool:
    """Return whether a label is the option's own before it, or the next one's after it."""
    if mark.start == 0 and own:
        if not field.is_latin and SPECIES.match(text, mark.end):
            return False
        return mark.letter == own and text[mark.end : mark.end + 1] not in ("", "\n")
    following = letter_of(_CUT.index(own) + 1 if own in _CUT and own else 0)
    return mark.newlines > 0 and not text[mark.end :].strip() and mark.letter == following


def _divided(given: CheckInput) -> Repair | None:
    """Give options their fields that stand in the question, or one after another in an option."""
    text = _one_text(given)
    parsed = _parsed(text, given)
    if parsed:
        return Repair((OPTIONS,), parsed.question, parsed.options)
    if len(given.source_options) > len(_CUT):
        return None
    readings = _readings(text, given)
    if len(readings) > 1:  # one that keeps every number, formula and term, where the others do not
        readings = [each for each in readings if not _problems(given, each[0], each[1:])]
    if len(readings) != 1:
        return None
    question, *options = readings[0]
    return Repair((LETTERS, OPTIONS), question, tuple(options))


def _one_text(given: CheckInput) -> str:
    """Return question and options as one text, in which every option has its label."""
    lines = [given.question.strip()]
    for n, option in enumerate(given.options):
        text, label = option.strip(), f"{letter_of(n)}."
        if text:
            lines.append(text if text.startswith(label) else f"{label} {text}")
    return "\n".join(lines)


def _parsed(text: str, given: CheckInput) -> ParsedOptions | None:
    letters = get_language(given.target_language).option_letters
    parsed = parse_options(text, len(given.source_options), script_letters=letters)
    return parsed if isinstance(parsed, ParsedOptions) else None


def _readings(text: str, given: CheckInput) -> list[tuple[str, ...]]:
    """Return the ways to divide a text in which each letter that is no label is explained.

    None where there are so many choices of labels that some would not be looked at.
    """
    marks = _marks(text)
    chains = _chains(marks, letters_of(len(given.source_options)))
    choices = list(islice(chains, _MOST_CHOICES))
    if len(marks) > _MOST_MARKS or len(choices) == _MOST_CHOICES:
        return []
    sources = (given.source_question, *given.source_options)
    fields = [_Field.of(source, given.target_language) for source in sources]
    readings = (_reading(text, marks, chain, fields) for chain in choices)
    return list(dict.fromkeys(reading for reading in readings if reading))


def _chains(marks: Sequence[_Mark], letters: str, start: int = 0) -> Iterator[tuple[_Mark, ...]]:
    if not letters:
        yield ()
        return
    for at in range(start, len(marks)):
        if marks[at].letter == letters[0]:
            for rest in _chains(marks, letters[1:], at + 1):
                yield (marks[at], *rest)


def _reading(
    text: str, marks: Sequence[_Mark], chain: Sequence[_Mark], fields: Sequence[_Field]
) -> tuple[str, ...] | None:
    edges = [(0, 0), *((mark.start, mark.end) for mark in chain), (len(text), len(text))]
    texts = []
    for ((_before, start), (end, _after)), field in zip(pairwise(edges), fields, strict=True):
        inside = [mark for mark in marks if start <= mark.start and mark.end <= end]
        joined = _joined(text, inside, start, end, field)
        if joined is None or not joined.strip():
            return None
        texts.append(joined.strip())
    return tuple(texts)


def _joined(text: str, marks: Sequence[_Mark], start: int, end: int, field: _Field) -> str | None:
    """Return a stretch of text with its letters put back, None where one of them fits nowhere."""
    edges = [*(mark.start for mark in marks), end]
    built, places = text[start : edges[0]], []
    for mark, edge in zip(marks, edges[1:], strict=True):
        right = text[mark.end : edge]
        if mark.newlines != 1 and mark.start > 0:
            return None
        if _closes_syllable(mark, built, right, field):
            built = f"{built.rstrip()}{_GA}{_spaced(right)}"
        else:
            places.append(len(built))
            built += f"{mark.letter}{right}"
    return built if all(_is_in_word(built, place, field) for place in places) else None


def _closes_syllable(mark: _Mark, left: str, right: str, field: _Field) -> bool:
    return (
        field.is_tibetan
        and mark.letter == _CUT_LETTER_OF_TIBETAN
        and bool(_BARE_SYLLABLE.search(left.rstrip()))
        and not left.rstrip().endswith(_GA)
        and not _RUN.match(right)
    )


def _spaced(right: str) -> str:
    """Put a space after a ག instead of a shad, which the rule took away with it."""
    return right if not right or right[0].isspace() else f" {right}"


def _is_in_word(text: str, place: int, field: _Field) -> bool:
    """Return whether the letter at `place` is part of a word that the source has in this field."""
    if text[place] == "C" and text[:place].endswith("°"):
        return bool(_DEGREE.search(field.text))
    run = next(m for m in _RUN.finditer(text) if m.start() <= place < m.end())[0]
    bare = run.strip("0123456789")
    known = {word for word in (run, bare, run.rstrip("0123456789")) if word}
    return not known.isdisjoint(field.words) or any(
        word.lower() == each.lower()
        for word in known
        for each in field.words
        if len(each) >= _FREE_CASE
    )


def _marks(text: str) -> list[_Mark]:
    """Return all labels at the start of a line, and those that follow one directly."""
    found: list[_Mark] = []
    for line in _LINE.finditer(text):
        at = line.start()
        while match := _MARK.match(text, at):
            gap = text[: match.start()]
            start = len(gap.rstrip("\n \t\u3000")) if at == line.start() else match.start()
            start = max(start, found[-1].end if found else 0)
            newlines = text.count("\n", start, match.start(1))
            found.append(_Mark(match[1], _kept_space(text, start), match.end(), newlines))
            at = match.end()
    return found


def _kept_space(text: str, start: int) -> int:
    """Return where the line break begins, so that a space before it stays."""
    at = text.find("\n", start)
    return at if at >= 0 and not text[start:at].strip() else start


def _in_order(steps: set[str]) -> tuple[str, ...]:
    return tuple(step for step in (LABELS, LETTERS, OPTIONS) if step in steps)
