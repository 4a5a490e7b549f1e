"""Duplicate search: recall, extra pairs and speed on made items with planted one-syllable edits.

Prints one JSON line a figure: name, value, unit, n. The reference in the same run is comparing a
sample of all pairs with rapidfuzz, extended to all of them. The look-alikes are one question with
one syllable changed, each like all others: the near search of these from text to pairs.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from sys import path as import_path
from typing import TypeVar

from rapidfuzz import fuzz, process

import_path.insert(0, str(Path(__file__).resolve().parents[1]))

from annotation.duplicates.dedupe.comparison import compare
from annotation.duplicates.dedupe.exact import exact_pairs
from annotation.duplicates.dedupe.near import Search, make_search, near_pairs, semantic_pairs
from annotation.duplicates.dedupe.pairs import Pair
from annotation.duplicates.dedupe.texts import ItemText, comparison_text
from benchmarks.fresh_site import report

ITEMS, EDITS, LOOK_ALIKES, REFERENCE_ROWS, SEED = 20_000, 200, 4_000, 200, 20261120
SPACED_ONSETS = "ཀ ཁ ག ང ཅ ཆ ཇ ཉ ཏ ཐ ད ན པ ཕ བ མ ཙ ཚ ཛ ཝ ཞ ཟ ཡ ར ལ ཤ ས ཧ བརྒ རྒྱ སྒྲ བསྐ འབྲ མཁྱ"
ONSETS = SPACED_ONSETS.split()
VOWELS = ["", "ི", "ུ", "ེ", "ོ"]
Result = TypeVar("Result")

CODAS = ["", "ག", "ང", "ད", "ན", "བ", "མ", "འི", "ར", "ལ", "ས", "གས", "ངས"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="1 = 20,000 items")
    scale = parser.parse_args().scale
    items, planted = make_items(count=int(ITEMS * scale))
    texts, reading = timed(lambda: compare(items))
    report("duplicates_normalise_seconds", reading, "s", len(items))
    exact_seconds = timed(lambda: exact_pairs(texts, side="target"))[1]
    report("duplicates_exact_seconds", exact_seconds, "s", len(items))
    search, making = timed(lambda: make_search(texts, language="bo", side="target"))
    report("duplicates_encode_seconds", making, "s", len(items))
    near, near_seconds = timed(lambda: list(all_near(search)))
    report_found("near", near, planted, near_seconds, len(items))
    semantic, semantic_seconds = timed(lambda: list(all_semantic(search)))
    report_found("semantic", semantic, planted, semantic_seconds, len(items))
    reference = reference_seconds(items)
    report("duplicates_reference_rapidfuzz_seconds", reference, "s", len(items))
    ratio = reference / (reading + making + near_seconds)
    report("duplicates_times_faster_than_reference", ratio, "ratio", len(items))
    report_look_alikes(count=int(LOOK_ALIKES * scale))


def make_items(*, count: int) -> tuple[list[ItemText], set[tuple[int, int]]]:
    """Return items and the pairs planted among them: each edit has one syllable of its original."""
    rng = random.Random(SEED)
    words = ["་".join(syllable(rng) for _ in range(rng.randint(1, 3))) for _ in range(4000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    originals = [make_item(number, words, weights, rng) for number in range(count)]
    edited = rng.sample(originals, max(1, EDITS * count // ITEMS))
    edits = [edit(item, count + n, rng) for n, item in enumerate(edited)]
    return originals + edits, {(item.id, count + n) for n, item in enumerate(edited)}


def make_item(number: int, words: list[str], weights: list[float], rng: random.Random) -> ItemText:
    def phrase(low: int, high: int) -> str:
        return "་".join(rng.choices(words, weights, k=rng.randint(low, high)))

    return ItemText(
        number, phrase(8, 20), tuple(phrase(1, 4) for _ in range(4)), rng.choice("ABCD")
    )


def edit(item: ItemText, number: int, rng: random.Random) -> ItemText:
    syllables = item.question.split("་")
    at = rng.randrange(len(syllables))
    syllables[at] = next(made for made in iter(lambda: syllable(rng), "") if made != syllables[at])
    return replace(item, id=number, question="་".join(syllables))


def syllable(rng: random.Random) -> str:
    return rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS)


def report_look_alikes(*, count: int) -> None:
    rng = random.Random(SEED)
    syllables = [syllable(rng) for _ in range(40)]
    options = tuple("་".join(syllables[at : at + 3]) for at in range(0, 12, 3))
    question = ItemText(0, "་".join(syllables), options, "A")
    items = [replace(edit(question, n, rng), key=rng.choice("ABCD")) for n in range(count)]
    pairs, seconds = timed(
        lambda: list(all_near(make_search(compare(items), language="bo", side="target")))
    )
    report("duplicates_look_alikes_pairs", len(pairs), "pairs", count)
    report("duplicates_look_alikes_seconds", seconds, "s", count)


def all_near(search: Search) -> Iterator[Pair]:
    for block in range(search.block_count):
        yield from near_pairs(search, block=block)


def all_semantic(search: Search) -> Iterator[Pair]:
    for block in range(search.block_count):
        yield from semantic_pairs(search, block=block, threshold=search.limits.semantic)


def reference_seconds(items: list[ItemText]) -> float:
    """Time rows of the full comparison by edit ratio and extend it to half the square."""
    texts = [comparison_text(item) for item in items]
    rows = texts[:REFERENCE_ROWS]
    seconds = timed(lambda: process.cdist(rows, texts, scorer=fuzz.ratio, workers=1))[1]
    return seconds / len(rows) * len(texts) / 2


def report_found(
    kind: str, pairs: list[Pair], planted: set[tuple[int, int]], seconds: float, count: int
) -> None:
    found = {(pair.a, pair.b) for pair in pairs}
    report(f"duplicates_{kind}_recall", len(found & planted) / len(planted), "share", len(planted))
    report(f"duplicates_{kind}_extra", len(found - planted), "pairs", count)
    report(f"duplicates_{kind}_seconds", seconds, "s", count)


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


if __name__ == "__main__":
    main()
