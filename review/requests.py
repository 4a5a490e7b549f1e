"""What every view of the review API reads from a request and may answer."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from projects.criteria import HIGHEST


def valid(serializer: serializers.Serializer[Any]) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def whole_number(request: Request, name: str) -> int | None:
    """The query parameter `name` as a number, None where it is missing."""
    value = request.query_params.get(name)
    if value is None:
        return None
    if not value.isdecimal() or len(value) > 9:
        raise ValidationError({name: [_("Give a whole number.")]})
    return int(value)


class RatingsField(serializers.DictField):
    """One whole number for each criterion of the project, by name."""

    child = serializers.IntegerField(min_value=0, max_value=HIGHEST)


IDEMPOTENCY_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, required=True)


def idempotency_key(request: Request) -> str:
    """The header that makes a request safe to repeat. Raises ValidationError."""
    key = str(request.headers.get("Idempotency-Key", "")).strip()
    if not key or len(key) > 100 or not key.isprintable():
        said = _("Send an Idempotency-Key header of 1 to 100 characters, new for each judgement.")
        raise ValidationError({"Idempotency-Key": [said]})
    return key
