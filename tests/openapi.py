"""The schema of the API, made once in a process: it takes as long as a hundred pages."""

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document in English; nobody may change it."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    assert made["paths"]
    return made


def schema_path(route: str) -> str:
    """ "projects/<slug:slug>/jobs/<int:pk>/" as the schema has it: "projects/{slug}/jobs/{id}/"."""
    parts = [
        "{" + part.strip("<>").rpartition(":")[2] + "}" if part.startswith("<") else part
        for part in route.split("/")
    ]
    return "/".join("{id}" if part == "{pk}" else part for part in parts)
