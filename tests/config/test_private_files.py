"""The data folder is its owner's alone, whatever rights it had and whoever writes into it."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from common.commands import LotsawaCommand
from common.private_files import _ordinary, keep_private, ordinary_files, private_files
from config.checks import data_folder_is_private
from config.settings.private import make_private
from jobs.uploads import keep_upload
from releases.files.storage import folder_beside, put_in_place
from tests.browser.site import environment

ROOT = Path(__file__).resolve().parents[2]
EVERYBODY = 0o022


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """Begin each test with a umask that lets everybody read, and leave none behind."""
    before, known = os.umask(EVERYBODY), list(_ordinary)
    _ordinary.clear()
    yield
    _ordinary[:] = known
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    paths = [folder, *folder.rglob("*")]
    return [str(path.relative_to(folder)) for path in paths if path.stat().st_mode & 0o077]


def test_folder_is_made_and_closed_with_what_is_in_it(tmp_path: Path) -> None:
    var = tmp_path / "var"
    (var / "mail").mkdir(parents=True)
    (var / "secret_key").write_text("k")
    (var / "notes.txt").write_text("somebody's own")

    make_private(var)

    assert open_to_others(var) == ["notes.txt"]
    assert stat.S_IMODE(var.stat().st_mode) == stat.S_IMODE((var / "mail").stat().st_mode) == 0o700
    make_private(tmp_path / "new" / "var")
    assert open_to_others(tmp_path / "new" / "var") == []


def test_folder_that_is_everybodys_is_left_alone(tmp_path: Path, settings: Any) -> None:
    tmp_path.chmod(0o1777)
    make_private(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777

    settings.VAR = tmp_path
    (warning,) = data_folder_is_private(None)
    assert (warning.id, str(tmp_path) in warning.msg) == ("lotsawa.W001", True)
    tmp_path.chmod(0o700)
    assert data_folder_is_private(None) == []


def run(var: Path, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment(var),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        umask=EVERYBODY,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_database_made_by_migrate_and_old_files_are_closed(tmp_path: Path) -> None:
    var = tmp_path / "var"
    var.mkdir(mode=0o755)
    run(var, "migrate", "accounts", "--verbosity", "0")
    assert open_to_others(var) == []

    (var / "lotsawa.sqlite3").chmod(0o644)
    run(var, "list_accounts", "--json")
    assert open_to_others(var) == []


def mode_of(path: Path) -> int:
    path.write_text("x")
    return stat.S_IMODE(path.stat().st_mode)


def test_process_that_keeps_private_writes_what_was_asked_for_with_ordinary_rights(
    tmp_path: Path,
) -> None:
    assert mode_of(tmp_path / "before") == 0o644
    with private_files():
        assert mode_of(tmp_path / "block") == 0o600
    keep_private()
    keep_private()
    assert mode_of(tmp_path / "after") == 0o600
    with ordinary_files():
        assert mode_of(tmp_path / "asked for") == 0o644
        with private_files():
            assert mode_of(tmp_path / "inner") == 0o600
    assert mode_of(tmp_path / "again") == 0o600


def test_uploads_and_releases_are_private_even_where_the_process_is_not(tmp_path: Path) -> None:
    keep_upload(BytesIO(b"{}"), tmp_path / "imports" / "1", "items.jsonl")
    with folder_beside(tmp_path / "releases" / "ti" / "1.0.0") as folder:
        (folder / "manifest.json").write_text("{}")
        put_in_place(folder, tmp_path / "releases" / "ti" / "1.0.0")
    assert (tmp_path / "releases" / "ti" / "1.0.0" / "manifest.json").exists()
    assert open_to_others(tmp_path / "imports") == open_to_others(tmp_path / "releases") == []


def test_command_writes_its_output_with_ordinary_rights(tmp_path: Path) -> None:
    class Writes(LotsawaCommand):
        def run(self, options: dict[str, Any]) -> dict[str, Any]:
            return {"mode": mode_of(tmp_path / "output")}

    keep_private()
    assert Writes()._result({}) == {"mode": 0o644}
