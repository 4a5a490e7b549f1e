"""Benchmarks run small, as tests of what must hold while they measure."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.databases import FILE, copy_migrated

ROOT = Path(__file__).resolve().parents[1]


def figures_of(module: str, *words: str, folder: Path) -> list[dict[str, Any]]:
    """Run `python -m benchmarks.module words…` on a migrated SQLite database; what it prints, by line.

    `folder` keeps the database that is copied. Fails the test where the exit code is not 0.
    """
    copy_migrated(folder / FILE)
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", *words],
        cwd=ROOT,
        env={**os.environ, "LOTSAWA_BENCH_DATABASE": str(folder / FILE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
