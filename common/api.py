"""What every API view shares: strict input, the shape of errors and how refusals get it.

Imports nothing of `rest_framework.views`, which itself loads the parser from here.
"""

import json
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions as drf
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from common.db import LARGEST_ID
from common.errors import DomainError
from common.unavailable import log_unavailable, why_unavailable


class BodyTooLarge(DomainError):
    code = "too_large"
    detail = _("The request is too large. Send less at a time, or upload files as an import.")
    status = 413


class RequestMalformed(DomainError):
    code = "malformed"
    detail = _("The request is malformed: too many fields or files.")
    status = 400


class StrictJSONParser(JSONParser):
    """Refuses JSON that no answer or database could hold.

    That is nesting without end, numbers beyond every float, and halves of surrogate pairs.
    """

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            data = super().parse(stream, media_type, parser_context)
            json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        except RecursionError as error:
            raise drf.ParseError(_("The JSON is nested too deeply.")) from error
        except ValueError as error:
            words = _("The JSON contains a number or a character that cannot be stored.")
            raise drf.ParseError(words) from error
        return data


class NumberField(serializers.FloatField):
    """A number; true and false are none."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class IdField(serializers.IntegerField):
    """The id of a row; a larger number than any database holds is refused before it gets there."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=LARGEST_ID, **options)


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields it does not know: a misspelt name is an error, not a silent default.

    What is refused as none of a field's choices is told which they are.
    """

    def get_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().get_fields()
        for field in fields.values():
            _name_choices(getattr(field, "child", field))
        return fields

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(set(data) - set(self.fields))
            if unknown:
                raise serializers.ValidationError({name: [_("Unknown field.")] for name in unknown})
        return super().to_internal_value(data)


def _name_choices(field: Any) -> None:
    if isinstance(field, serializers.ChoiceField):
        names = ", ".join(str(choice) for choice in field.choices if choice != "")
        words = _("Choose from: %s.") % names
        field.error_messages["invalid_choice"] = words.replace("{", "{{").replace("}", "}}")


class ErrorSerializer(serializers.Serializer[Any]):
    """Every refusal: `code` is stable, `detail` is for people."""

    code = serializers.CharField()
    detail = serializers.CharField()
    fields = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()), required=False
    )
    current = serializers.DictField(required=False)


READ_REFUSALS = dict.fromkeys((401, 403, 404), ErrorSerializer)
LIST_REFUSALS = dict.fromkeys((400, 401, 403, 404), ErrorSerializer)
REFUSALS = dict.fromkeys((400, 401, 403, 404, 409), ErrorSerializer)
"""What the description of the API says of a view that reads, and of one that writes."""


def api_exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Answer every refusal of the API as `{code, detail, fields?, current?}`."""
    if reason := why_unavailable(exc):
        answer = Response(reason.as_json(), status=reason.status, headers=reason.headers())
        log_unavailable(context["request"], answer, exc)
        return answer
    if isinstance(exc, SuspiciousOperation):
        exc = BodyTooLarge() if isinstance(exc, RequestDataTooBig) else RequestMalformed()
    if isinstance(exc, DomainError):
        return Response(exc.as_json(), status=exc.status, headers=exc.headers())
    if isinstance(exc, Http404):
        exc = drf.NotFound()
    elif isinstance(exc, PermissionDenied):
        exc = drf.PermissionDenied(str(exc) or None)
    if not isinstance(exc, drf.APIException):
        return None
    headers = {}
    if header := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if seconds := getattr(exc, "wait", None):
        headers["Retry-After"] = str(int(seconds))
    return Response(_drf_body(exc), status=exc.status_code, headers=headers)


def _drf_body(exc: drf.APIException) -> dict[str, Any]:
    if isinstance(exc, drf.ValidationError):
        fields = _flatten(exc.detail)
        return {"code": "invalid", "detail": str(_("Some values are not valid.")), "fields": fields}
    return {"code": str(exc.default_code), "detail": str(exc.detail)}


def _flatten(detail: Any, prefix: str = "") -> dict[str, list[str]]:
    """Turn DRF's nested detail into {"answers.3": ["…"]}."""
    if isinstance(detail, dict):
        found: dict[str, list[str]] = {}
        for name, value in detail.items():
            found.update(_flatten(value, f"{prefix}.{name}" if prefix else str(name)))
        return found
    if isinstance(detail, list) and any(isinstance(value, dict) for value in detail):
        found = {}
        for index, value in enumerate(detail):
            if value:
                found.update(_flatten(value, f"{prefix}.{index}" if prefix else str(index)))
        return found
    values = detail if isinstance(detail, list) else [detail]
    return {prefix or "non_field_errors": [str(value) for value in values]}
