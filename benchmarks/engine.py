"""Measures the engine against a local stand-in endpoint: samples a second, CPU and peak memory.

python -m benchmarks.engine [--scale 1.0]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.fresh_site import report
from endpoints.engine import Result, Unit, run
from endpoints.providers.base import ChatRequest
from endpoints.providers.openai_compatible import OpenAICompatible
from prompts.rendering import DIRECT, PromptItem, default_template, render

ROOT = Path(__file__).resolve().parents[1]
ITEMS = 1000
CONCURRENCY = 32
DELAYS_MS = (0, 50)


@contextmanager
def stand_in(delay_ms: int) -> Iterator[str]:
    """Run the stand-in in its own process; yield its base URL."""
    with tempfile.TemporaryDirectory() as folder:
        port_file = Path(folder) / "port"
        command = [sys.executable, "-m", "endpoints.providers.stand_in"]
        command += ["--port-file", str(port_file), "--delay-ms", str(delay_ms)]
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
        try:
            while not port_file.exists():
                if process.poll() is not None:
                    raise RuntimeError("the stand-in endpoint did not start")
                time.sleep(0.02)
            yield f"http://127.0.0.1:{port_file.read_text().strip()}/v1"
        finally:
            process.terminate()
            process.wait(10)


def units(count: int) -> Iterator[Unit[int]]:
    """Yield `count` Tibetan items of about 1 kB."""
    template = default_template("bo", DIRECT)
    for number in range(count):
        question = f"{number} " + "བོད་ཡིག་གི་དྲི་བ་འདི་ལ་ལན་གང་ཡིན་ནམ། " * 6
        item = PromptItem(question, tuple(f"འདེམས་ཁ་{n}" for n in range(4)))
        request = ChatRequest(
            "stand-in-strong", render(item, template=template), {"temperature": 0}
        )
        yield Unit(number, request)


def measure(count: int, delay_ms: int) -> None:
    """Run `count` items once and print three figures."""
    stored: list[tuple[int, str]] = []

    def store(batch: list[Result[int]]) -> None:
        stored.extend((result.key, result.text) for result in batch)

    with stand_in(delay_ms) as url:
        wall, cpu = time.perf_counter(), time.process_time()
        run(
            units(count),
            provider=OpenAICompatible(url),
            concurrency=CONCURRENCY,
            store=store,
            is_cancelled=lambda: False,
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if len(stored) != count:
        raise RuntimeError(f"{len(stored)} of {count} results were stored")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report(f"engine_throughput_{delay_ms}ms", count / wall, "samples/s", count)
    report(f"engine_cpu_{delay_ms}ms", 1000 * cpu / count, "ms/sample", count)
    report(f"engine_peak_memory_{delay_ms}ms", peak, "MB", count)


def main() -> int:
    """Measure at each delay; `--scale` multiplies the number of items."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0)
    count = max(int(ITEMS * parser.parse_args().scale), CONCURRENCY)
    for delay_ms in DELAYS_MS:
        measure(count, delay_ms)
    return 0


if __name__ == "__main__":
    sys.exit(main())
