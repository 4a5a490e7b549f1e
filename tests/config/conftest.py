"""What the tests of a deployment share."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.config.containers import ROOT, module_of, production
from tests.databases import locked


@pytest.fixture(scope="session")
def collected(shared_folder: Path) -> Path:
    """The static files as a server has them, made once in a run by the command of compose.yaml."""
    folder = shared_folder / "collected"
    with locked(folder):
        if not (folder / "static").exists():
            _collect(half := folder / "half")
            (half / "static").rename(folder / "static")
    return folder / "static"


def _collect(var: Path) -> None:
    shutil.rmtree(var, ignore_errors=True)
    var.mkdir()
    command = [sys.executable, *module_of("static"), "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=production(var), check=True)
