"""Vectors of texts from hashed character n-grams: no weights, no word list, any script.

A text is made NFC and case-folded, runs of white space and tsheg become one space, and a space is
put at each end. Every n-gram of n = 1..4 code points is hashed; each of `SEEDS` gives it one of
`DIMENSIONS` places and a sign. An n-gram that occurs c times weighs sqrt(c), single code points
less than longer ones. Sums run in a fixed order over integers sorted by hash, so a text has the
same vector in every process, on every platform and in any batch.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
import regex
from numpy.typing import NDArray

DIMENSIONS = 384
BATCH = 256  # texts; a text's number must fit the 8 bits above its hashes
LONGEST = 4
WEIGHTS = np.array([0.3, 1.0, 1.0, 1.0])
SEEDS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F], np.uint64
)
_STEP = np.uint64(0x100000001B3)
_SPREAD = np.uint64(0xFF51AFD7ED558CCD)
_FOLD = np.uint64(29)
_ID_SHIFT = np.uint64(56)
_SIZE_SHIFT = np.uint64(54)
_HASH_BITS = np.uint64((1 << 56) - 1)
_SEPARATOR = regex.compile(r"[\s\u0f0b\u0f0c]+")

Vectors = NDArray[np.float32]


def encode(texts: Sequence[str]) -> Vectors:
    """Return one row of `DIMENSIONS` float32 per text, of length 1; all zero for an empty text."""
    if not texts:
        return np.zeros((0, DIMENSIONS), np.float32)
    batches = [_encode_batch(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
    return np.concatenate(batches)


def _encode_batch(texts: Sequence[str]) -> Vectors:
    grams, counts = _counted_grams([_prepare(text) for text in texts])
    rows = (grams >> _ID_SHIFT).astype(np.int64) * DIMENSIONS
    hashes = grams & _HASH_BITS
    weights = np.sqrt(counts) * WEIGHTS[(hashes >> _SIZE_SHIFT).astype(np.int64)]
    sums = np.zeros(len(texts) * DIMENSIONS)
    for seed in SEEDS:
        mixed = hashes * seed
        mixed ^= mixed >> _FOLD
        mixed *= _SPREAD
        places = ((mixed >> np.uint64(33)) % np.uint64(DIMENSIONS)).astype(np.int64)
        signs = ((mixed >> np.uint64(32)) & np.uint64(1)).astype(np.float64) * 2 - 1
        sums += np.bincount(rows + places, weights=signs * weights, minlength=len(sums))
    return _unit_rows(sums.reshape(len(texts), DIMENSIONS))


def _prepare(text: str) -> str:
    words = _SEPARATOR.sub(" ", unicodedata.normalize("NFC", text).casefold()).strip()
    return f" {words} " if words else ""


def _counted_grams(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return each text's distinct n-grams and how often each occurs.

    An n-gram is one integer: the text's number in the top 8 bits, its size - 1 in the next two,
    then 54 bits of hash.
    """
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    lengths = np.array([len(text) for text in texts])
    owners = np.repeat(np.arange(len(texts), dtype=np.uint64), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(codes))
    grams = np.sort(np.concatenate(_tagged_grams(codes.astype(np.uint64), owners, left)))
    starts = np.flatnonzero(np.diff(grams, prepend=~grams[:1]))
    return grams[starts], np.diff(starts, append=len(grams))


def _tagged_grams(
    codes: NDArray[np.uint64], owners: NDArray[np.uint64], left: NDArray[np.int64]
) -> list[NDArray[np.uint64]]:
    """Hash the n-grams of each size; `left` counts the code points to the end of the own text."""
    rolling = np.zeros_like(codes)
    found = []
    for size in range(1, LONGEST + 1):
        ahead = codes[size - 1 :]
        rolling = (rolling[: len(ahead)] ^ ahead) * _STEP
        mixed = (rolling ^ (rolling >> _FOLD)) * _SPREAD
        tagged = (owners[: len(ahead)] << _ID_SHIFT) | (np.uint64(size - 1) << _SIZE_SHIFT)
        found.append((tagged | (mixed >> np.uint64(10)))[left[: len(ahead)] >= size])
    return found


def _unit_rows(sums: NDArray[np.float64]) -> Vectors:
    squares = np.cumsum(sums * sums, axis=1)[:, -1:]
    lengths = np.sqrt(squares)
    return np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0).astype(np.float32)
