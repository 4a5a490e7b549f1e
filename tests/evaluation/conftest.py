"""Each test of evaluation begins with an empty cache: rolled back ids come again."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()
