"""Boards are kept for a minute: each test begins without any."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def no_kept_boards() -> None:
    cache.clear()
