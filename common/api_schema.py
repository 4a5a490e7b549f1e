"""What the API's schema says of every operation without being told: a summary, and a bad page link."""

from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse

from common.api import ErrorSerializer

Direction = Literal["request", "response"]
BAD_CURSOR = "`bad_cursor`: the link to the page is not valid; start again from the first page."


class LotsawaSchema(AutoSchema):
    """The first line of an operation's docstring is its summary, the rest its description."""

    def get_summary(self) -> str | None:
        summary = super().get_summary() or self._first_line_and_rest()[0]
        return summary.removesuffix(".") or None

    def get_description(self) -> str:  # type: ignore[override]  # so is AutoSchema's
        return self._first_line_and_rest()[1]

    def _first_line_and_rest(self) -> tuple[str, str]:
        first, _line, rest = str(super().get_description()).strip().partition("\n")
        return first, rest.strip()

    def _get_response_bodies(self, direction: Direction = "response") -> Any:
        """Add the refusal that every list in pages can give."""
        bodies = super()._get_response_bodies(direction)
        if self._is_list_view() and self._get_paginator():
            refusal = OpenApiResponse(ErrorSerializer, description=BAD_CURSOR)
            bodies["400"] = self._get_response_for_code(refusal, "400", direction=direction)
        return bodies
