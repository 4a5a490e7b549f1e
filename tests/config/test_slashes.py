"""Addresses without their last slash lead to the ones with it, and lose nothing on the way."""

from http import HTTPStatus

import pytest
from django.test import Client

from projects.models import Project
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/projects/ti", "/api/v1/projects"])
def test_reading_without_the_slash_is_redirected(path: str) -> None:
    answer = Client().get(f"{path}?page=2")

    assert (answer.status_code, answer["Location"]) == (301, f"{path}/?page=2")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_writing_without_the_slash_is_redirected_with_method_and_body(method: str) -> None:
    answer = getattr(Client(), method)("/api/v1/projects", {}, content_type="application/json")

    wanted = (HTTPStatus.PERMANENT_REDIRECT, "/api/v1/projects/")
    assert (answer.status_code, answer["Location"]) == wanted


def test_post_that_follows_the_redirect_is_carried_out() -> None:
    client = Client()
    client.force_login(UserFactory(is_staff=True))
    body = {"slug": "ti", "name": "Ti", "source_language": "zh", "target_language": "bo"}

    answer = client.post("/api/v1/projects", body, content_type="application/json", follow=True)

    assert (answer.status_code, answer.json()["slug"]) == (HTTPStatus.CREATED, "ti")
    assert Project.objects.filter(slug="ti").exists()


def test_address_that_nothing_has_stays_not_found() -> None:
    assert Client().post("/api/v1/nothing").status_code == HTTPStatus.NOT_FOUND
