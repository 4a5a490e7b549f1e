"""Each test of releases writes its files to a folder of its own."""

from pathlib import Path
from typing import Any

import pytest

from tests.releases.builders import Built


@pytest.fixture(autouse=True)
def release_folder(settings: Any, tmp_path: Path) -> Path:
    settings.RELEASE_FOLDER = tmp_path / "releases"
    return tmp_path / "releases"


@pytest.fixture
def release(built: Built[Any], release_folder: Path) -> Any:
    """What the module has `built_once`, for this test to change, files and rows."""
    return built.copied(release_folder)
