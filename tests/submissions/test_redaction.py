"""No spelling of a key stays in what an endpoint repeats."""

import json

import pytest

from endpoints.models import RawCall
from endpoints.raw_calls import LENGTHS
from submissions.redaction import without_key

KEY = 'sk-team/0123"45\\6789-very-secret'
ESCAPED = "".join(f"\\u{ord(sign):04X}" for sign in KEY)


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        json.dumps(KEY),
        json.dumps(json.dumps({"key": KEY})),
        json.dumps(KEY).replace("/", "\\/"),
        ESCAPED,
        ESCAPED.lower().replace("\\", "\\\\"),
        f"{KEY} and {ESCAPED}",
    ],
)
def test_no_spelling_of_the_key_stays(text: str) -> None:
    assert set(without_key(f"You said {text}.", KEY)) <= set("You said [key] and [key].")
    assert without_key(text, "") == text


@pytest.mark.parametrize("text", [KEY, ESCAPED, json.dumps(KEY)[1:-1]])
def test_no_beginning_of_the_key_stays_at_a_cut(text: str) -> None:
    for length in range(24, len(text)):
        assert without_key(f"You said {text[:length]}", KEY, is_cut=True) == "[key]", length


def test_other_texts_stay() -> None:
    for text in ("", "A", r"\frac{1}{2} \u0f40 \n", "sk-", "ཀ" * 30):
        assert without_key(text, KEY, is_cut=True) == text


def test_a_key_of_one_letter_is_taken_out() -> None:
    assert without_key("banana", "a") == "b[key]n[key]n[key]"


def test_columns_are_cut_to_their_lengths() -> None:
    longest = {name: RawCall._meta.get_field(name).max_length for name in LENGTHS}
    assert longest == LENGTHS
