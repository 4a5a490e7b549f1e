"""Keeping links that give access, and repeated lines, out of the log."""

import logging
import re
from collections.abc import MutableMapping
from typing import Any

LINKS = re.compile(
    r"(/(?:accounts/(?:invitations|password-reset/[^/\s]+)|notifications/unsubscribe)/)[^/\s]+"
)


def hide_links(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Remove the secrets of invitations and of links for a new password from a record."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = LINKS.sub(r"\1…", value)
    return event


def is_news(line: logging.LogRecord) -> bool:
    """Return whether Django's line about a request adds anything; that of a 4xx does not."""
    return not 400 <= getattr(line, "status_code", 0) < 500
