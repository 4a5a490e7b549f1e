"""Each test of releases writes its files to a folder of its own."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def release_folder(settings: Any, tmp_path: Path) -> Path:
    settings.RELEASE_FOLDER = tmp_path / "releases"
    return tmp_path / "releases"
