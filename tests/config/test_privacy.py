"""No answer with somebody's items or name in it is kept by a browser or a proxy."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.permissions import ADDRESSES, COMMON_ARGUMENTS
from tests.world import ADMINISTRATOR, MANAGER, REVIEWER, World, addresses, make_world

PRIVATE = "private, no-store"
PUBLIC = {"styles-css", "releases:public-index"}


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.mark.parametrize("role", [ADMINISTRATOR, MANAGER, REVIEWER])
def test_every_address_says_that_its_answer_is_private(world: World, role: str) -> None:
    client, kept = world.browser(role), {}
    for name, pattern, _route in addresses():
        known = COMMON_ARGUMENTS | ADDRESSES[name].arguments
        names = pattern.pattern.converters or pattern.pattern.regex.groupindex
        url = reverse(name, kwargs={key: known[key](world) for key in names})
        said = client.get(url).headers.get("Cache-Control")
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
