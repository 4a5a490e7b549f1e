"""Each test of releases writes its files to a folder of its own, and begins with an empty cache."""

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def release_folder(settings: Any, tmp_path: Path) -> Path:
    settings.RELEASE_FOLDER = tmp_path / "releases"
    return tmp_path / "releases"


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Ids that were rolled back come again, and figures are kept by them."""
    cache.clear()
