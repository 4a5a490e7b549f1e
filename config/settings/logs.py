"""What the log must not hold: links that let in whoever reads them, and the same thing twice."""

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
    """Leave out the secret of an invitation and of a link for a new password, wherever it stands."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = LINKS.sub(r"\1…", value)
    return event


def is_news(line: logging.LogRecord) -> bool:
    """Whether Django's line about a request says more than its last line: not that of a 4xx."""
    return not 400 <= getattr(line, "status_code", 0) < 500
