"""Finds the options inside one published text, or says why they can't be told with certainty.

`join_options` writes such a text, and `reads_back` says whether reading gives the same parts again.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from languages.letters import COMMON_LETTERS, LETTERS, letters_of, plain_letter

_FEWEST: Final = 2
_MOST_SHOWN: Final = 40
_OPENING: Final = "(（【["
_SENTENCE_END: Final = "།༎༏༑༔?？!！。.:：;；)）]】"
_KINDS: Final = {
    ".": "dot", "．": "dot", "、": "comma", ")": "close", "）": "close",
    "]": "close", "】": "close", ":": "colon", "：": "colon", "།": "shad",
}  # fmt: skip
_OPENS: Final = r"[(（【\[]?"
_CLOSES: Final = r"(?:[.．、)）\]】:：།]|(?=[ \t\u3000\u00a0\r\n]))"
_LABEL: Final = re.compile(rf"{_OPENS}[A-FＡ-Ｆ]{_CLOSES}")
_FURTHER_LABEL: Final = re.compile(rf"{_OPENS}[A-JＡ-Ｊ]{_CLOSES}")
# What makes a letter part of the word or formula that it touches: `P(A)`, but not `1（B）2`.
_IN_WORD: Final = re.compile(r"[0-9A-Za-zＡ-ｚ\\$_^{=+\-*/<>&|.(\[（【~·'\"]")
_IN_CALL: Final = re.compile(r"[A-Za-zＡ-ｚ\\_^{]")
_NOTHING: Final = re.compile(r"(?!)")
_GLUING: Final = {"": _IN_WORD, "(": _IN_CALL, "[": _IN_CALL, "（": _NOTHING, "【": _NOTHING}
_SPACES: Final = " \t\u3000\u00a0\r"
_SCRIPT_OPENING: Final = r"[(（༼]?"
_SCRIPT_ENDING: Final = r"[ \t\u3000.．、)）:：།༽]"


@dataclass(frozen=True, slots=True)
class ParsedOptions:
    """The question and its options as the labels divide the text, outer white space removed."""

    question: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reason for doubt, the labels in their order, and where the doubt begins.

    `reason`: empty_text, no_labels, repeated, out_of_order, missing, count, stray, ambiguous,
    empty_option or empty_question.
    """

    reason: str
    found: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Label:
    letter: str
    kind: str
    start: int
    end: int
    opens_line: bool
    opens_text: bool
    after_latin: bool


def parse_options(
    text: str, expected: int | None = None, *, script_letters: str = ""
) -> ParsedOptions | Unreadable:
    """Divide a text at its option labels, only if no other division is possible.

    Read are labels A to F (to J where more options are expected), plain or full-width, as `A.` `A、`
    `A)` `(A)` `A:` anywhere, `A ` at the start of a line or after the end of a sentence, and `A།`
    at the start of a line. The labels of one style must be exactly the first n letters, each once
    and in order; n is `expected` where that is given. A further label at the start of a line, an
    empty option or an empty question is doubt, and doubt is never resolved by a guess.
    `script_letters` are the letters of the language's own lists (as ཀཁགང), read only at line
    starts and only where no Latin label is found.
    """
    if not text.strip():
        return Unreadable("empty_text", "", 0, len(text))
    labels = list(_labels(text, expected))
    chains = _chains(labels, expected)
    if not chains and script_letters and not any(label.opens_line for label in labels):
        usual = script_letters[: max(expected or 0, COMMON_LETTERS)]
        chains = _script_chains(text, usual, expected)
    if len(chains) != 1:
        return _doubt(text, labels, expected, is_ambiguous=len(chains) > 1)
    return _cut(text, chains[0], labels)


def join_options(question: str, options: Sequence[str]) -> str:
    """Return question and options as one text, each option on a line of its own with its letter."""
    return f"{question}{_option_lines(options)}"


def cut_at(text: str, options: Sequence[str]) -> ParsedOptions | None:
    """Divide a text that `join_options` wrote with these options; None where it does not end so."""
    ending = _option_lines(options)
    question = text.removesuffix(ending)
    if len(question) == len(text) or not question.strip() or not all(map(str.strip, options)):
        return None
    return ParsedOptions(question, tuple(options))


def reads_back(question: str, options: Sequence[str]) -> bool:
    """Return whether `parse_options` divides the joined text into just these parts.

    Where nothing looks like a label, only outer white space could be lost, which is seen sooner.
    """
    parts = (question, *options)
    if any(part != part.strip() or not part for part in parts):
        return False
    if _label(len(options)).search("\n".join((*parts, ""))) is None:
        return True
    return parse_options(join_options(question, options), len(options)) == ParsedOptions(
        question, tuple(options)
    )


def _option_lines(options: Sequence[str]) -> str:
    return "".join(f"\n{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))


def _label(expected: int | None) -> re.Pattern[str]:
    """Return the pattern of a label; where fewer options are expected, a letter beyond F is a word."""
    return _FURTHER_LABEL if (expected or 0) > COMMON_LETTERS else _LABEL


def _labels(text: str, expected: int | None) -> Iterator[_Label]:
    last_end = 0
    for match in _label(expected).finditer(text):
        start, end = match.span()
        opening = text[start] in _OPENING
        if opening and text[end - 1] not in ")）]】":
            start, opening = start + 1, False
        place = _place(text, start, _GLUING[text[start] if opening else ""])
        if place is None:
            continue
        letter = plain_letter(text[start + opening])
        kind = "bracket" if opening else _KINDS.get(text[end - 1], "space")
        opens_line, before = place
        is_text_of_label = last_end and not text[last_end:start].strip(_SPACES)
        if not opens_line and (
            kind == "shad"
            or (kind == "space" and (before not in _SENTENCE_END or is_text_of_label))
        ):
            continue
        last_end = end
        yield _Label(letter, kind, start, end, opens_line, not before, _is_latin(before))


def _place(text: str, start: int, gluing: re.Pattern[str]) -> tuple[bool, str] | None:
    """Return whether a label opens a line and the last character before it; None inside a word."""
    if start and gluing.match(text[start - 1]):
        return None
    at = start - 1
    while at >= 0 and text[at] in _SPACES:
        at -= 1
    opens_line = at < 0 or text[at] == "\n"
    while at >= 0 and text[at].isspace():
        at -= 1
    return opens_line, text[at] if at >= 0 else ""


def _is_latin(character: str) -> bool:
    return bool(character) and (
        (character.isascii() and character.isalnum()) or "Ａ" <= character <= "ｚ"
    )


def _chains(labels: list[_Label], expected: int | None) -> list[list[_Label]]:
    found = []
    for kind in dict.fromkeys(label.kind for label in labels):
        same = [label for label in labels if label.kind == kind]
        chain = _chain(same, LETTERS, expected) or _line_chain(same, expected)
        if chain:
            found.append(chain)
    if not found:
        mixed = [label for label in labels if label.opens_line and not label.opens_text]
        chain = _chain(mixed, LETTERS, expected)
        found = [chain] if chain else []
    return found


def _chain(labels: list[_Label], letters: str, expected: int | None) -> list[_Label]:
    count = len(labels)
    if count < _FEWEST or (expected is not None and count != expected):
        return []
    return labels if "".join(label.letter for label in labels) == letters[:count] else []


def _line_chain(labels: list[_Label], expected: int | None) -> list[_Label]:
    """Allow initials inside a Latin phrase (`John A. Smith`) beside labels at line starts."""
    lines = [label for label in labels if label.opens_line and not _is_prose(label)]
    rest = [label for label in labels if not label.opens_line]
    if all(label.after_latin for label in rest):
        return _chain(lines, LETTERS, expected)
    return []


def _is_prose(label: _Label) -> bool:
    return label.opens_text and label.kind == "space"


def _script_chains(text: str, letters: str, expected: int | None) -> list[list[_Label]]:
    pattern = rf"(?m)^[ \t]*{_SCRIPT_OPENING}([{re.escape(letters)}]){_SCRIPT_ENDING}"
    labels = [
        _Label(match[1], "script", match.start(), match.end(), True, match.start() == 0, False)  # noqa: FBT003
        for match in re.finditer(pattern, text)
    ]
    chain = _chain(labels, letters, expected)
    return [chain] if chain else []


def _doubt(
    text: str, labels: list[_Label], expected: int | None, *, is_ambiguous: bool
) -> Unreadable:
    likely = _likely(labels)
    found = _found(likely)
    start = likely[0].start if likely else 0
    if is_ambiguous:
        return Unreadable("ambiguous", found, start, len(text))
    first_bad = next(
        (
            at
            for at, label in enumerate(likely)
            if at >= len(LETTERS) or label.letter != LETTERS[at]
        ),
        None,
    )
    if first_bad is None:
        reason = "no_labels" if not found else "count" if expected is not None else "missing"
        return Unreadable(reason, found, start, len(text))
    bad = likely[first_bad]
    return Unreadable(_disorder(likely), found, bad.start, bad.end)


def _found(labels: list[_Label]) -> str:
    letters = "".join(label.letter for label in labels[: _MOST_SHOWN + 1])
    return letters if len(letters) <= _MOST_SHOWN else f"{letters[:_MOST_SHOWN]}…"


def _likely(labels: list[_Label]) -> list[_Label]:
    """Return the labels of the commonest punctuation, for the words of the finding."""
    marked = [label for label in labels if label.kind != "space"] or labels
    ranking = Counter(label.kind for label in marked).most_common(1)
    return [label for label in marked if label.kind == ranking[0][0]] if ranking else []


def _disorder(labels: list[_Label]) -> str:
    letters = [label.letter for label in labels]
    if len(set(letters)) < len(letters):
        return "repeated"
    return "out_of_order" if letters != sorted(letters) else "missing"


def _cut(text: str, chain: list[_Label], labels: list[_Label]) -> ParsedOptions | Unreadable:
    found = _found(labels)
    stray = next((label for label in labels if _is_stray(label, chain)), None)
    if stray is not None:
        return Unreadable("stray", found, stray.start, stray.end)
    ends = [label.start for label in chain[1:]] + [len(text)]
    options = tuple(text[label.end : end].strip() for label, end in zip(chain, ends, strict=True))
    question = text[: chain[0].start].strip()
    if not question:
        return Unreadable("empty_question", found, 0, chain[0].end)
    if "" in options:
        empty = chain[options.index("")]
        return Unreadable("empty_option", found, empty.start, empty.end)
    return ParsedOptions(question, options)


def _is_stray(label: _Label, chain: list[_Label]) -> bool:
    if not label.opens_line or any(label is link for link in chain):
        return False
    if label.opens_text:  # `A ཡིས་…` and `E. coli` begin a question, `A. TM…` was torn out of one
        is_one_of_them = label.letter in letters_of(len(chain))
        return is_one_of_them and label.kind != "space" and label.kind in {"dot", chain[0].kind}
    return label.kind != "space" or label.start > chain[0].start
