"""What the API's schema says of every operation without being told.

That is a summary, the answer of a busy server, and the refusal of an unknown name; of lists
the refusal of a bad page link too.
"""

from typing import Any, Final, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from common.api import ErrorSerializer

Direction = Literal["request", "response"]
BAD_CURSOR = "`bad_cursor`: the link to the page is not valid; start again from the first page."
UNKNOWN = "`invalid`: the address does not know a parameter that `fields` names."
BUSY: Final = (
    "`busy`: the database was locked for too long or is out of reach, and nothing was stored. Send "
    "the same request again, with the same `Idempotency-Key` if it has one, after the seconds of "
    "`Retry-After`."
)
RETRY_AFTER: Final = OpenApiParameter(
    "Retry-After",
    int,
    OpenApiParameter.HEADER,
    description="Seconds to wait before the next try.",
    response=[503],
)


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

    def get_override_parameters(self) -> Any:
        return [*super().get_override_parameters(), RETRY_AFTER]

    def _get_response_bodies(self, direction: Direction = "response") -> Any:
        """Add what every operation, and every list in pages, can answer."""
        bodies = super()._get_response_bodies(direction)
        busy = OpenApiResponse(ErrorSerializer, description=BUSY)
        bodies["503"] = self._get_response_for_code(busy, "503", direction=direction)
        if self._is_list_view() and self._get_paginator():
            bodies["400"] = self._refusal(f"{UNKNOWN} {BAD_CURSOR}", direction)
        elif "400" not in bodies:
            bodies["400"] = self._refusal(UNKNOWN, direction)
        return bodies

    def _refusal(self, words: str, direction: Direction) -> Any:
        refusal = OpenApiResponse(ErrorSerializer, description=words)
        return self._get_response_for_code(refusal, "400", direction=direction)
