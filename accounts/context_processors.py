"""What every page knows of the languages that it could be shown in."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def interface_languages(request: HttpRequest) -> dict[str, Any]:
    """(code, name in that language) of each; names are not translated, so that everybody finds theirs."""
    return {"interface_languages": settings.LANGUAGES}
