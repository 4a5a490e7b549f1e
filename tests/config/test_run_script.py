"""`scripts/run.py` keeps the web server there while a worker dies again and again."""

import runpy
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]
DYING = [sys.executable, "-c", "import os; os._exit(9)"]


@pytest.fixture(scope="module")
def script() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(ROOT / "scripts" / "run.py")))


@pytest.fixture
def parts(script: SimpleNamespace) -> Iterator[list[Any]]:
    running: list[Any] = []
    yield running
    for part in running:
        if part.process.poll() is None:
            part.process.kill()
        part.process.wait(10)


def revive_until(
    script: SimpleNamespace, parts: list[Any], is_so: Callable[[], bool] = lambda: False
) -> None:
    """Go on as `run` does, without its pauses."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        script.revive(parts)
        for part in parts:
            if part.starts_at is not None:
                part.starts_at = 0.0
        time.sleep(0.01)


def test_worker_that_keeps_dying_is_started_again_with_longer_pauses_beside_the_web_server(
    script: SimpleNamespace, parts: list[Any], capfd: pytest.CaptureFixture[str]
) -> None:
    parts += [script.start("web server", SLEEPER), script.start("worker", DYING)]
    web = parts[0].process

    revive_until(script, parts, lambda: parts[1].short_lives == 3)

    assert web.poll() is None and parts[0].process is web
    assert parts[1].short_lives == 3
    assert [line for line in capfd.readouterr().err.splitlines() if line.startswith("The ")] == [
        "The worker ended (status 9) and starts again now. The web server goes on.",
        "The worker ended (status 9) and starts again in 2 seconds. The web server goes on.",
        "The worker ended (status 9) and starts again in 4 seconds. The web server goes on.",
    ]


def test_settings_are_read_from_the_environment_and_else_from_the_file(
    script: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(f'# a comment\nLOTSAWA_VAR="{tmp_path}/data"\nLOTSAWA_EMPTY=\n')
    monkeypatch.setitem(script.setting.__globals__, "ROOT", tmp_path)
    monkeypatch.delenv("LOTSAWA_VAR", raising=False)

    assert script.data_folder() == tmp_path / "data"
    assert (script.setting("LOTSAWA_EMPTY"), script.setting("LOTSAWA_NONE")) == ("", None)

    monkeypatch.setenv("LOTSAWA_VAR", "/elsewhere")
    assert script.data_folder() == Path("/elsewhere")


def test_pauses_grow_to_a_minute(script: SimpleNamespace) -> None:
    pauses = [script.pause_after(lives) for lives in range(9)]

    assert pauses == [0, 0, 2, 4, 8, 16, 32, 60, 60]


def test_web_server_that_keeps_dying_ends_everything_in_words(
    script: SimpleNamespace, parts: list[Any]
) -> None:
    parts.append(script.start("web server", DYING))

    with pytest.raises(script.CannotRun, match="The web server keeps ending"):
        revive_until(script, parts)


def test_part_that_lived_for_long_is_started_again_at_once(
    script: SimpleNamespace, parts: list[Any]
) -> None:
    parts.append(script.start("worker", SLEEPER))
    parts[0].started_at -= 60
    parts[0].short_lives = 2
    parts[0].process.kill()
    parts[0].process.wait(60)

    revive_until(script, parts, lambda: parts[0].process.poll() is None)

    assert parts[0].short_lives == 0
