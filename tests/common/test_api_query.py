"""The first calls of a process, which learn what their address takes."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from drf_spectacular import plumbing
from drf_spectacular.extensions import OpenApiViewExtension
from rest_framework.views import APIView

from common.api_query import _known

LONGEST_MEETING_SECONDS = 0.1
NOT_INSTALLED = "a.package.that.is.not.installed"


class Ping(APIView):
    def get(self) -> None:
        """Stand for any view."""


@pytest.fixture
def extension() -> Iterator[Any]:
    """A class of the generator that nobody has loaded yet."""

    class Extension(OpenApiViewExtension):  # type: ignore[type-arg, misc]
        target_class = NOT_INSTALLED
        priority = 1

    yield Extension
    OpenApiViewExtension._registry.remove(Extension)


def test_two_first_calls_do_not_load_a_class_of_the_generator_at_once(
    extension: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, load, met = Barrier(2), plumbing.import_string, []

    def load_slowly(name: str) -> Any:
        if name == NOT_INSTALLED:
            try:
                both.wait(LONGEST_MEETING_SECONDS)
                met.append(True)
            except BrokenBarrierError:
                both.reset()
        return load(name)

    monkeypatch.setattr(plumbing, "import_string", load_slowly)
    with ThreadPoolExecutor(2) as pool:
        known = list(pool.map(_known, ["api/v1/a/", "api/v1/b/"], [Ping.as_view(), Ping.as_view()]))
    assert met == []
    assert extension.target_class is None
    assert [list(each) for each in known] == [["get"], ["get"]]
