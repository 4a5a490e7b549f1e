"""Benchmark of scoring: both published methods against the loop that describes them.

Prints one JSON line a figure. `--scale` shortens the run: 1.0 is 230,000 responses of 1.3 kB.
Exits with 1 when one answer differs from the reference.
"""

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evaluation.response_files import RowRules, find_response_files, read_rows
from evaluation.result_files import response_line
from evaluation.scorers import SCORERS, AskedItem, read_response
from evaluation.scorers.batch import ScoreCounter, score_response
from evaluation.scorers.letters import OptionLetters

RESPONSES = 230_000
BYTES = 1_300
BATCH = 5_000
OPTION_COUNT = 4
TIBETAN = "བོད་ཀྱི་སྐད་ཡིག་ནི་མི་རིགས་ཀྱི་རིག་གནས་གལ་ཆེན་ཞིག་ཡིན། ལོ་རྒྱུས་རིང་པོ་ཡོད། "
ENGLISH = "we weigh every option of the question in turn and then decide for one of them. "
CHINESE = "我们逐一分析这个问题的每个选项，然后做出判断。"

SCORER_PAIR = (SCORERS["direct"], SCORERS["concern_all"])
ASKED = AskedItem(OptionLetters(OPTION_COUNT))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=20261120)
    options = parser.parse_args()
    count = max(BATCH, int(RESPONSES * options.scale))
    is_same = _report_extraction(count, random.Random(options.seed))
    _report_files(max(BATCH, count // 10), random.Random(options.seed))
    return 0 if is_same else 1


def _report_extraction(count: int, rng: random.Random) -> bool:
    reference_seconds = fast_seconds = 0.0
    differing = 0
    for batch in _batches(count, rng):
        start = time.perf_counter()
        expected = [reference(response, OPTION_COUNT) for response in batch]
        middle = time.perf_counter()
        found = [_extract_pair(response) for response in batch]
        fast_seconds += time.perf_counter() - middle
        reference_seconds += middle - start
        differing += sum(a != b for a, b in zip(expected, found, strict=True))
    _figure("score_responses.differing_answers", differing, "responses", count)
    _figure("score_responses.reference_time", reference_seconds, "s", count)
    _figure("score_responses.time", fast_seconds, "s", count)
    _figure("score_responses.rate", count / fast_seconds, "responses/s", count)
    _figure("score_responses.ratio", reference_seconds / fast_seconds, "x", count)
    return not differing


def _extract_pair(response: str) -> tuple[str | None, str | None]:
    reading = read_response(response, ASKED)
    direct, concern_all = (scorer.extract(reading) for scorer in SCORER_PAIR)
    return direct.letter, concern_all.letter


def _report_files(count: int, rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "responses.jsonl"), Path(folder, "scored.jsonl")
        _write_source(source, count, rng)
        start = time.perf_counter()
        _score_file(source, target)
        seconds = time.perf_counter() - start
    _figure("score_responses.file_rate", count / seconds, "responses/s", count)


def _write_source(path: Path, count: int, rng: random.Random) -> None:
    with path.open("w", encoding="utf-8") as file:
        for index in range(count):
            row = {
                "loc": f"subject{index}",
                "answer": rng.choice("ABCD"),
                "model_result": _response(rng),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _score_file(source: Path, target: Path) -> None:
    counter = ScoreCounter()
    (file,) = find_response_files(source)
    with target.open("w", encoding="utf-8") as lines:
        for row in read_rows(file, RowRules(OPTION_COUNT)):
            scored = score_response(row.response, key=row.key, asked=row.asked, scorers=SCORER_PAIR)
            counter.add(row.subject, row.epoch, OPTION_COUNT, scored)
            lines.write(response_line(row, scored))


def _batches(count: int, rng: random.Random) -> Iterator[list[str]]:
    for start in range(0, count, BATCH):
        yield [_response(rng) for _ in range(min(BATCH, count - start))]


def _response(rng: random.Random) -> str:
    """About 1.3 kB: one of the ways models answer, in one of three languages."""
    letter, other = rng.choice("ABCD"), rng.choice("ABCD")
    prose = rng.choice((TIBETAN, TIBETAN, ENGLISH, CHINESE))
    long = _filled(prose, BYTES - 60, rng)
    return rng.choice(
        (
            f"<think>{long} A {other}</think>{letter}",
            f"{long}The answer is {letter}",
            f"A, B, C, D: {long}{letter}",
            f"{long[: len(long) // 2]} {other} {long[len(long) // 2 :]} {letter}",
            f"{long}ལན་ནི་{rng.choice('ཀཁགང')}།",
            long,
            f"<think>{long}{letter}",
        )
    )


def _filled(prose: str, size: int, rng: random.Random) -> str:
    offset = rng.randrange(len(prose))
    repeats = size // len(prose.encode()) + 2
    return (prose * repeats)[offset:].encode()[:size].decode(errors="ignore")


def reference(response: str, option_count: int) -> tuple[str | None, str | None]:
    """Both methods as the description reads, a character at a time, sharing nothing."""
    return (
        _reference_direct(_reference_text(response), option_count),
        _reference_concern_all(_reference_text(response), option_count),
    )


def _reference_text(response: str) -> str:
    for tag in ("think", "reasoning", "thought", "analysis", "step"):
        response = re.sub(f"<{tag}>.*?</{tag}>", "", response, flags=re.DOTALL)
    for tag in ("think", "reasoning", "thought", "analysis", "step"):
        response = response.split(f"</{tag}>")[-1].split(f"<{tag}>")[0]
    return re.sub("Reasoning.*?Reasoned.*?seconds", "", response, flags=re.DOTALL)


def _reference_direct(text: str, option_count: int) -> str | None:
    valid, script = "ABCDEF"[:option_count], "ཀཁགངཅཆ"[:option_count]
    found, found_script = set(), set()
    for character in text:
        if character in valid:
            found.add(character)
        if character in script:
            found_script.add(valid[script.index(character)])
    for letters in (found, found_script):
        if len(letters) == 1:
            return letters.pop()
    return None


def _reference_concern_all(text: str, option_count: int) -> str | None:
    valid, script = "ABCDEF"[:option_count], "ཀཁགངཅཆ"[:option_count]
    letters = [character for character in text if character in valid]
    if not letters:
        letters = [valid[script.index(character)] for character in text if character in script]
    kept: list[str] = []
    buffer: list[str] = []
    for letter in letters:
        buffer.append(letter)
        if len(buffer) == option_count and len(set(buffer)) == option_count:
            buffer = []
        elif len(buffer) > option_count:
            kept += buffer[: -(option_count - 1)]
            buffer = buffer[-(option_count - 1) :]
    kept += buffer
    return kept[0] if len(set(kept)) == 1 else None


def _figure(name: str, value: float, unit: str, n: int) -> None:
    print(json.dumps({"name": name, "value": round(value, 3), "unit": unit, "n": n}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
