"""A refusal has a stable code, words for people, and the right shape in pages and API."""

import json
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseNotAllowed
from django.test import Client, RequestFactory
from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions as drf
from rest_framework import serializers

from common.api import StrictSerializer, api_exception_handler
from common.errors import DomainError, DomainErrorMiddleware


class SeatTaken(DomainError):
    code = "seat_taken"
    detail = _("The seat of %(name)s is taken.")


class TooOften(DomainError):
    code = "too_often"
    detail = _("Try again later.")
    status = 429


class RowSerializer(StrictSerializer):
    text = serializers.CharField(max_length=3)
    ratings = serializers.ListField(child=serializers.IntegerField(), required=False)


def answer(error: Exception) -> tuple[int, dict[str, Any]]:
    response = api_exception_handler(error, {})
    assert response is not None
    return response.status_code, response.data


def test_domain_error_fills_its_words_with_its_params() -> None:
    assert str(SeatTaken(name="Dolma")) == "The seat of Dolma is taken."


def test_domain_error_without_params_keeps_a_per_cent_sign() -> None:
    class Half(DomainError):
        detail = "50 % are missing."

    assert str(Half()) == "50 % are missing."


def test_domain_error_as_json_names_only_what_there_is() -> None:
    assert TooOften().as_json() == {"code": "too_often", "detail": "Try again later."}
    full = SeatTaken(name="Dolma", fields={"seat": ["Taken."]}, current={"revision": 7})
    assert full.as_json() == {
        "code": "seat_taken",
        "detail": "The seat of Dolma is taken.",
        "fields": {"seat": ["Taken."]},
        "current": {"revision": 7},
    }


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (SeatTaken(name="x"), 409, "seat_taken"),
        (TooOften(), 429, "too_often"),
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "permission_denied"),
        (drf.NotAuthenticated(), 401, "not_authenticated"),
        (drf.ParseError(), 400, "parse_error"),
        (drf.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
    ],
)
def test_api_answers_each_refusal_with_code_and_detail(
    error: Exception, status: int, code: str
) -> None:
    found, body = answer(error)
    assert (found, body["code"]) == (status, code)
    assert body["detail"]
    assert set(body) == {"code", "detail"}


def test_api_names_the_fields_of_a_bad_value_by_their_path() -> None:
    serializer = RowSerializer(data={"text": "long", "ratings": [1, "x"], "extra": 1})
    with pytest.raises(drf.ValidationError) as refusal:
        serializer.is_valid(raise_exception=True)
    assert answer(refusal.value)[1]["fields"] == {"extra": ["Unknown field."]}

    serializer = RowSerializer(data={"text": "long", "ratings": [1, "x"]})
    with pytest.raises(drf.ValidationError) as refusal:
        serializer.is_valid(raise_exception=True)
    status, body = answer(refusal.value)
    assert (status, body["code"]) == (400, "invalid")
    assert set(body["fields"]) == {"text", "ratings.1"}


def test_api_says_when_a_throttled_caller_may_come_again() -> None:
    response = api_exception_handler(drf.Throttled(wait=12.4), {})
    assert response is not None
    assert (response.status_code, response["Retry-After"]) == (
        429,
        "13",
    )  # whole seconds, never too early

    class Wait(TooOften):
        detail = "Try again in %(retry_after_seconds)s s."

    response = api_exception_handler(Wait(retry_after_seconds=60), {})
    assert response is not None
    assert response["Retry-After"] == "60"


def test_api_lets_an_unknown_exception_through() -> None:
    assert api_exception_handler(RuntimeError("a fault of ours"), {}) is None


def test_page_shows_a_domain_error_in_words_with_its_status() -> None:
    middleware = DomainErrorMiddleware(lambda request: HttpResponse())
    response = middleware.process_exception(RequestFactory().get("/"), SeatTaken(name="Dolma"))
    assert response is not None
    assert response.status_code == 409
    assert "The seat of Dolma is taken." in response.content.decode()


def test_script_gets_a_domain_error_as_json() -> None:
    middleware = DomainErrorMiddleware(lambda request: HttpResponse())
    asked = RequestFactory().post("/", headers={"accept": "application/json, text/html;q=0.9"})
    response = middleware.process_exception(asked, SeatTaken(name="Dolma"))
    assert response is not None
    assert response.status_code == 409
    assert json.loads(response.content) == SeatTaken(name="Dolma").as_json()


def test_page_middleware_leaves_other_exceptions_alone() -> None:
    middleware = DomainErrorMiddleware(lambda request: HttpResponse())
    assert middleware.process_exception(RequestFactory().get("/"), ValueError()) is None


def refused_method(**headers: str) -> HttpResponse:
    middleware = DomainErrorMiddleware(lambda request: HttpResponseNotAllowed(["POST"]))
    return middleware(RequestFactory().get("/projects/demo/rounds/1/close/", headers=headers))


def test_address_of_a_button_has_a_page_with_a_way_on() -> None:
    response = refused_method()
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "Nothing was changed." in response.content.decode()
    assert 'href="/"' in response.content.decode()


def test_script_gets_a_refused_method_without_a_page() -> None:
    assert refused_method(accept="application/json").content == b""


@pytest.mark.parametrize(("wanted", "found"), [("zh-CN", "zh-hans"), ("lo", "en")])
def test_error_page_names_the_language_that_it_is_written_in(
    db: None, client: Client, wanted: str, found: str
) -> None:
    page = client.get("/nowhere/", headers={"accept-language": wanted}).content.decode()
    assert f'<html lang="{found}">' in page
