"""Hashed n-gram vectors."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.duplicates.dedupe.ngrams import BATCH, DIMENSIONS, encode

TEXTS = ["བོད་ཡིག་གི་སློབ་དེབ།", "ພາສາລາວ", "Монгол хэл", "臺灣華語", "plain English", "", "😀"]
_DIGEST = (
    "import hashlib; from annotation.duplicates.dedupe.ngrams import encode; "
    f"print(hashlib.sha256(encode({TEXTS!r}).tobytes()).hexdigest())"
)


def _digest() -> str:
    return hashlib.sha256(encode(TEXTS).tobytes()).hexdigest()


def test_encode_shape_type_and_length() -> None:
    vectors = encode(TEXTS)
    assert vectors.shape == (len(TEXTS), DIMENSIONS)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert lengths == pytest.approx([1, 1, 1, 1, 1, 0, 1], abs=1e-6)
    assert encode([]).shape == (0, DIMENSIONS)


def test_encode_another_process_gives_the_same_bytes() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", _DIGEST]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == _digest()


def test_encode_vectors_are_the_published_ones() -> None:
    """Stored similarities refer to these vectors: a changed hash needs a new model name."""
    assert _digest() == "639e0f345fed1c5f2db457446dcfbbcd05ddc446c93fafbc0e774fba904d3709"


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6), st.integers(0, 5))
def test_encode_row_does_not_depend_on_its_batch(texts: list[str], at: int) -> None:
    text = texts[at % len(texts)]
    assert np.array_equal(encode(texts)[at % len(texts)], encode([text])[0])


def test_encode_beyond_one_batch_keeps_rows() -> None:
    texts = [f"number {n}" for n in range(BATCH + 3)]
    assert np.array_equal(encode(texts)[BATCH:], encode(texts[BATCH:]))


@pytest.mark.parametrize(
    ("one", "other"), [("ཀ་ཁ་ག", "ཀ ཁ  ག"), ("ABC", "abc"), ("\u0f43", "\u0f42\u0fb7")]
)
def test_encode_same_text_in_other_spelling_is_equal(one: str, other: str) -> None:
    assert np.array_equal(encode([one]), encode([other]))


def test_encode_one_syllable_edit_is_nearer_than_another_text() -> None:
    text, edited, other = encode(
        [
            "ཞིང་ལས་ཐོན་སྐྱེད་ནང་ངལ་རྩོལ་གྱི་དངོས་པོ་གལ་ཆེན་དུ་བརྩིས་པ།",
            "ཞིང་ལས་ཐོན་སྐྱེད་ནང་ངལ་རྩོལ་གྱི་དངོས་ཆས་གལ་ཆེན་དུ་བརྩིས་པ།",
            "ཆར་ཞོད་ཀྱི་མང་ཉུང་ནི་ས་ཁུལ་གྱི་ནམ་ཟླ་དང་འབྲེལ་བ་ཡོད།",
        ]
    )
    assert text @ edited > 0.85
    assert text @ other < 0.6
