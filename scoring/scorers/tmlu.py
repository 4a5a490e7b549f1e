"""TMLU's two ways of reading an answer, for direct prompts and for chains of thought."""

import re

from scoring.scorers.base import Extraction, Reading, Scorer

_ANSWER, _RIGHT, _NOT = "正確答案", "正確", "不"
_NOT_ANSWER = "不是正確答案"
_NEXT_QUESTION = "問題："
_BRACKETED = re.compile(r"[A-F](?=\))")
_LETTER = re.compile("[A-F]")
_COUNTED = re.compile("[A-E]")


def extract_direct(reading: Reading) -> Extraction:
    """Return the option that TMLU's script takes from an answer to a direct prompt.

    Source: TMLU (Chen et al. 2024), its published evaluation script. Paragraphs are parted by an
    empty line. The first paragraph is read if it looks like an answer, else the last one. In it,
    the first capital A to F right before a closing bracket is the answer; if there is none, the
    first capital A to F anywhere, even in a word.

    A text looks like an answer by the first of these that it contains: 不是正確答案 (no),
    正確答案 (yes), 不正確 (no), 正確 (yes), a capital A to E (yes).

    The script takes no notice of how many options the item has. A letter that the item lacks is no
    answer here, as it is never right there. The script knows no reasoning tags; here reasoning is
    removed before, as for all methods (see `answer_text`).
    """
    paragraphs = reading.text.strip().split("\n\n")
    return _first_option(paragraphs[0 if _looks_like_answer(paragraphs[0]) else -1], reading)


def extract_reasoned(reading: Reading) -> Extraction:
    """Return the option that TMLU's script takes from a chain of thought.

    Source: as for `extract_direct`, which says what looks like an answer and which letter of a text
    is taken. What follows 問題：, a further question, is cut off. The last line that looks like an
    answer begins the text that is read, which ends with the response and has no line breaks; if it
    contains 正確答案, it is read from there on.
    """
    lines = reading.text.strip().partition(_NEXT_QUESTION)[0].strip().split("\n")
    begins = [index for index, line in enumerate(lines) if _looks_like_answer(line)]
    text = "".join(lines[begins[-1] :]) if begins else ""
    return _first_option(text[max(0, text.find(_ANSWER)) :], reading)


def _looks_like_answer(text: str) -> bool:
    if _ANSWER in text:
        return _NOT_ANSWER not in text
    if _RIGHT in text:
        return _NOT + _RIGHT not in text
    return _COUNTED.search(text) is not None


def _first_option(text: str, reading: Reading) -> Extraction:
    found = _BRACKETED.search(text) or _LETTER.search(text)
    letter = found and reading.asked.letters.latin_of(found.group())
    return Extraction(letter, (letter,)) if letter else Extraction(None, failure="no_answer")


DIRECT = Scorer("tmlu", "1", extract_direct, published_name="tmlu")
REASONED = Scorer("tmlu_cot", "1", extract_reasoned, published_name="tmlu_cot")
