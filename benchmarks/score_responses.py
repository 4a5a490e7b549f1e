"""Scoring with both published methods, against the loop that describes them, at two sizes.

Run as `python -m benchmarks.score_responses [RESPONSES …]`; each figure is one JSON line. First come
extractions alone. Then the command reads a file of responses of 1 kB and writes its results, each
size in a process of its own so that memory starts anew; the reference reads the same file and
writes one line a response. Each time is the best of three. `one_processor` is the command on a
single processor. Exits with 1 if one answer differs from the reference, if the command is less
than 6 times as fast at the largest size, or if it gets slower or larger with the size.
"""

import argparse
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path

from benchmarks.fresh_site import report
from scoring.scorers import SCORERS, AskedItem, read_response
from scoring.scorers.letters import OptionLetters

RESPONSES = 100_000
FILE_RESPONSES = (10_000, 100_000)
WANTED_RATIO = 6
WANTED_RATE_KEPT = 0.8
WANTED_MEMORY_KEPT = 1.25
ROUNDS = 3
BYTES = 1_300
FILE_BYTES = 1_000
BATCH = 5_000
SEED = 20261120
OPTION_COUNT = 4
TIBETAN = "བོད་ཀྱི་སྐད་ཡིག་ནི་མི་རིགས་ཀྱི་རིག་གནས་གལ་ཆེན་ཞིག་ཡིན། ལོ་རྒྱུས་རིང་པོ་ཡོད། "
ENGLISH = "we weigh every option of the question in turn and then decide for one of them. "
CHINESE = "我们逐一分析这个问题的每个选项，然后做出判断。"
UNITS = {
    "reference_time": "s",
    "time": "s",
    "one_processor_time": "s",
    "rate": "responses/s",
    "ratio": "x",
    "one_processor_ratio": "x",
    "differing_answers": "responses",
    "peak_memory": "MB",
    "worker_peak_memory": "MB",
}

SCORER_PAIR = (SCORERS["direct"], SCORERS["concern_all"])
ASKED = AskedItem(OptionLetters(OPTION_COUNT))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=FILE_RESPONSES, metavar="RESPONSES")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(_file_figures(options.child)))
        return 0
    sizes = list(options.sizes)
    is_fine = _report_extraction(RESPONSES)
    found = [_report_file(size) for size in sizes]
    first, last = found[0], found[-1]
    rate_kept = last["rate"] / first["rate"]
    memory_kept = last["peak_memory"] / first["peak_memory"]
    _figure("file_rate_largest_to_smallest", rate_kept, "times", sizes[-1])
    _figure("file_peak_memory_largest_to_smallest", memory_kept, "times", sizes[-1])
    is_fine = is_fine and not any(figures["differing_answers"] for figures in found)
    is_fine = is_fine and rate_kept >= WANTED_RATE_KEPT and memory_kept <= WANTED_MEMORY_KEPT
    return 0 if is_fine and last["ratio"] >= WANTED_RATIO else 1


def _report_extraction(count: int) -> bool:
    reference_seconds = fast_seconds = 0.0
    differing = 0
    for batch in _batches(count, random.Random(SEED)):
        start = time.perf_counter()
        expected = [reference(response, OPTION_COUNT) for response in batch]
        middle = time.perf_counter()
        found = [_extract_pair(response) for response in batch]
        fast_seconds += time.perf_counter() - middle
        reference_seconds += middle - start
        differing += sum(a != b for a, b in zip(expected, found, strict=True))
    _figure("differing_answers", differing, "responses", count)
    _figure("rate", count / fast_seconds, "responses/s", count)
    _figure("ratio", reference_seconds / fast_seconds, "x", count)
    return not differing


def _extract_pair(response: str) -> tuple[str | None, str | None]:
    reading = read_response(response, ASKED)
    direct, concern_all = (scorer.extract(reading) for scorer in SCORER_PAIR)
    return direct.letter, concern_all.letter


def _report_file(count: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.score_responses", "--child", str(count)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    for name, value in figures.items():
        _figure(f"file_{name}", value, UNITS[name], count)
    return figures


def _file_figures(count: int) -> dict[str, float]:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.base"
    import django

    django.setup()
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        source, results = Path(folder, "responses.jsonl"), Path(folder, "results")
        expected = Path(folder, "expected")
        _write_source(source, count, random.Random(SEED))
        seconds = _best_time(_score_file, source, results)
        memory, worker_memory = (
            resource.getrusage(who).ru_maxrss / 1024
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        with _one_processor():
            one_processor_seconds = _best_time(_score_file, source, results)
        reference_seconds = _best_time(_reference_file, source, expected)
        differing = _differing(expected / "lines.jsonl", results / "responses.jsonl")
    return {
        "reference_time": reference_seconds,
        "time": seconds,
        "one_processor_time": one_processor_seconds,
        "rate": count / seconds,
        "ratio": reference_seconds / seconds,
        "one_processor_ratio": reference_seconds / one_processor_seconds,
        "differing_answers": differing,
        "peak_memory": memory,
        "worker_peak_memory": worker_memory,
    }


def _best_time(work: Callable[[Path, Path], None], source: Path, results: Path) -> float:
    """Return the best time; each try writes into a new folder after a flush to the disk."""
    best = math.inf
    for _ in range(ROUNDS):
        shutil.rmtree(results, ignore_errors=True)
        results.mkdir()
        os.sync()
        start = time.perf_counter()
        work(source, results)
        best = min(best, time.perf_counter() - start)
    return best


@contextmanager
def _one_processor() -> Iterator[None]:
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, processors)


def _write_source(path: Path, count: int, rng: random.Random) -> None:
    with path.open("w", encoding="utf-8") as file:
        for index in range(count):
            row = {
                "loc": f"subject{index}",
                "answer": rng.choice("ABCD"),
                "model_result": _response(rng, FILE_BYTES),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _score_file(source: Path, results: Path) -> None:
    from django.core.management import call_command

    arguments = [str(source), "--method", "direct,concern_all", "--output", str(results)]
    with redirect_stderr(StringIO()):
        call_command("score_responses", *arguments, stdout=StringIO())


def _reference_file(source: Path, results: Path) -> None:
    """Score a file as the published scorer does, but read it once, not once per method."""
    target = results / "lines.jsonl"
    with source.open(encoding="utf-8") as rows, target.open("w", encoding="utf-8") as lines:
        for line in rows:
            row = json.loads(line)
            direct, concern_all = reference(row["model_result"], OPTION_COUNT)
            found = {"loc": row["loc"], "direct": direct, "concern_all": concern_all}
            lines.write(json.dumps(found) + "\n")


def _differing(expected: Path, found: Path) -> int:
    with expected.open(encoding="utf-8") as theirs, found.open(encoding="utf-8") as ours:
        pairs = (
            (json.loads(a), json.loads(b)["scores"]) for a, b in zip(theirs, ours, strict=True)
        )
        return sum(
            any(row[name] != scores[name]["answer"] for name in ("direct", "concern_all"))
            for row, scores in pairs
        )


def _batches(count: int, rng: random.Random) -> Iterator[list[str]]:
    for start in range(0, count, BATCH):
        yield [_response(rng) for _ in range(min(BATCH, count - start))]


def _response(rng: random.Random, size: int = BYTES) -> str:
    """Return about `size` bytes: one of the ways models answer, in one of three languages."""
    letter, other = rng.choice("ABCD"), rng.choice("ABCD")
    prose = rng.choice((TIBETAN, TIBETAN, ENGLISH, CHINESE))
    long = _filled(prose, size - 60, rng)
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
    """Score by both methods as described, a character at a time, sharing nothing."""
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
    name = f"score_responses.{name}"
    report(name, value, unit, n)


if __name__ == "__main__":
    sys.exit(main())
