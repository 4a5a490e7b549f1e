"""No answer with somebody's items or name in it is kept by a browser or a proxy."""

import pytest
from django.test import Client

from tests.permissions import Browsers, url_of
from tests.world import World, addresses

PRIVATE = "private, no-store"
PUBLIC = {"styles-css", "releases:public-index"}


def test_every_address_says_that_its_answer_is_private(world: World, empty_pages: None) -> None:
    browsers, kept = Browsers(world), {}
    for name, pattern, _route in addresses():
        answer = browsers.of(name, "get").get(url_of(world, name, pattern))
        said = answer.headers.get("Cache-Control")
        if said != PRIVATE:
            kept[name] = said
    assert set(kept) == PUBLIC
    assert "public" in kept["styles-css"]


@pytest.mark.parametrize(
    ("path", "status"),
    [("/accounts/sign-in/", 200), ("/", 302), ("/nowhere/", 404), ("/api/v1/me/", 401)],
)
def test_what_nobody_is_shown_is_private_too(db: None, path: str, status: int) -> None:
    answer = Client().get(path)
    assert (answer.status_code, answer["Cache-Control"]) == (status, PRIVATE)


def test_static_files_may_be_kept_by_everybody() -> None:
    answer = Client().get("/static/js/app.js")
    assert "public" in answer["Cache-Control"]
    unchanged = {"If-Modified-Since": answer["Last-Modified"]}
    again = Client().get("/static/js/app.js", headers=unchanged)
    assert (again.status_code, again["Cache-Control"]) == (304, answer["Cache-Control"])
