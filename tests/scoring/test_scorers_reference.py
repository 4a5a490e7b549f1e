"""The two published methods against a naive reading of their description, on any text."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from languages import LANGUAGES, get_language
from languages.letters import LETTERS
from scoring.scorers import AskedItem, Extraction, extract, read_response
from scoring.scorers.base import settle
from scoring.scorers.concern_all import drop_complete_sets
from scoring.scorers.letters import OptionLetters

TIBETAN = get_language("bo").option_letters
TAGS = ("think", "reasoning", "thought", "analysis", "step")
PIECES = [
    *LETTERS,
    *TIBETAN,
    *"abcＡＢ ་།.,\nAB",
    "ལན་ནི་",
    "The answer is ",
    "Reasoning",
    "Reasoned for 5 seconds",
    *[f"<{tag}>" for tag in TAGS],
    *[f"</{tag}>" for tag in TAGS],
    "ABCD",
    "😀",
    "\ud800",
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)
counts = st.integers(2, 10)
languages = st.sampled_from(sorted(LANGUAGES))


def naive_text(text: str) -> str:
    for tag in TAGS:
        text = re.sub(f"<{tag}>.*?</{tag}>", "", text, flags=re.DOTALL)
    for tag in TAGS:
        text = text.split(f"</{tag}>")[-1].split(f"<{tag}>")[0]
    return re.sub("Reasoning.*?Reasoned.*?seconds", "", text, flags=re.DOTALL)


def published_text(text: str) -> str:
    for tag in TAGS:
        text = re.sub(f"<{tag}>.*?</{tag}>", "", text, flags=re.DOTALL)
    return text


def naive_letters(text: str, valid: str, count: int) -> list[str]:
    return [LETTERS[valid.index(character)] for character in text if character in valid[:count]]


def naive_direct(text: str, count: int, script: str) -> str | None:
    """The answer in a text without reasoning."""
    for valid in (LETTERS, script):
        found = set(naive_letters(text, valid, count))
        if len(found) == 1:
            return found.pop()
    return None


def naive_concern_all(text: str, count: int, script: str) -> str | None:
    """The answer in a text without reasoning."""
    letters = naive_letters(text, LETTERS, count) or naive_letters(text, script, count)
    kept: list[str] = []
    buffer: list[str] = []
    for letter in letters:
        buffer.append(letter)
        if len(buffer) == count and set(buffer) == set(LETTERS[:count]):
            buffer.clear()
        if len(buffer) > count:
            kept.extend(buffer[: -(count - 1)])
            del buffer[: -(count - 1)]
    remaining = set(kept + buffer)
    return remaining.pop() if len(remaining) == 1 else None


@settings(deadline=None)
@given(texts, counts, languages)
def test_direct_any_text_equals_the_naive_reading(text: str, count: int, language: str) -> None:
    script = get_language(language).option_letters
    found = extract("direct", text, AskedItem(OptionLetters(count, script)))
    assert found.letter == naive_direct(naive_text(text), count, script)


@settings(deadline=None)
@given(texts, counts, languages)
def test_concern_all_any_text_equals_the_naive_reading(
    text: str, count: int, language: str
) -> None:
    script = get_language(language).option_letters
    found = extract("concern_all", text, AskedItem(OptionLetters(count, script)))
    assert found.letter == naive_concern_all(naive_text(text), count, script)


@settings(deadline=None, max_examples=500)
@given(texts)
def test_published_reading_of_any_text_is_that_of_the_published_scorer(text: str) -> None:
    asked = AskedItem(OptionLetters(4, TIBETAN))
    naive = {"direct": naive_direct, "concern_all": naive_concern_all}
    for method, answer in naive.items():
        found = extract(method, text, asked, is_published=True)
        assert found.letter == answer(published_text(text), 4, TIBETAN)


@settings(deadline=None)
@given(st.text(LETTERS, min_size=65, max_size=200), counts)
def test_concern_all_long_letter_sequence_equals_the_naive_reading(text: str, count: int) -> None:
    found = extract("concern_all", text, AskedItem(OptionLetters(count)))
    assert found.letter == naive_concern_all(text, count, TIBETAN)


@settings(deadline=None)
@given(st.text("ABCD", min_size=33, max_size=80))
def test_concern_all_long_letter_sequence_is_settled_as_if_walked_to_its_end(letters: str) -> None:
    found = extract("concern_all", letters, AskedItem(OptionLetters(4)))
    kept = drop_complete_sets(letters, 4)
    missing = set("ABCD") - set(letters)
    assert found == (settle(kept, 4) if kept or missing else Extraction(None, failure="repeater"))


@settings(deadline=None)
@given(texts, counts)
def test_every_extraction_has_an_answer_or_a_failure(text: str, count: int) -> None:
    reading = read_response(text, AskedItem(OptionLetters(count)))
    for method in ("direct", "concern_all", "first_option", "anchored", "numeric"):
        found = extract(method, text, reading.asked)
        assert (found.answer is None) == (found.failure is not None)
        assert found.letter is None or found.letter in LETTERS[:count]


@settings(deadline=None)
@given(st.lists(st.permutations("ABCD").map("".join), max_size=5).map("".join))
def test_drop_complete_sets_only_complete_sets_leaves_nothing(letters: str) -> None:
    assert drop_complete_sets(letters, 4) == ""
