"""Make answers that browsers and proxies may keep: the same for everybody, checked by tag."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date
from django.utils.translation import get_language

from projects.styles import styles_digest

KEPT_SECONDS = 60


def kept_page(
    request: HttpRequest,
    template: str,
    *,
    parts: Iterable[Any],
    read: Callable[[], dict[str, Any]],
    changed: float | None = None,
) -> HttpResponseBase:
    """Return the page `template`, or 304 to a caller that has it already.

    `parts` are all that the page depends on besides language, style and software; `read` gives its
    context and is called only if the page has to be made. `changed` is a time in seconds.
    """
    return kept(
        request, parts=parts, make=lambda: render(request, template, read()), changed=changed
    )


def kept(
    request: HttpRequest,
    *,
    parts: Iterable[Any],
    make: Callable[[], HttpResponseBase],
    changed: float | None = None,
) -> HttpResponseBase:
    """Return what `make` gives, or 304 to a caller that has it; `parts` are as for `kept_page`."""
    tag = _tag(parts)
    answer = get_conditional_response(request, etag=tag) or make()
    return keep(answer, tag=tag, changed=changed)


def keep(
    answer: HttpResponseBase, *, tag: str = "", changed: float | None = None
) -> HttpResponseBase:
    """Let everybody keep `answer` for a minute, by language."""
    if tag:
        answer["ETag"] = tag
    if changed is not None:
        answer["Last-Modified"] = http_date(changed)
    answer["Cache-Control"] = f"public, max-age={KEPT_SECONDS}"
    patch_vary_headers(answer, ["Accept-Language", "Cookie"])
    return answer


def not_for_search(answer: HttpResponseBase) -> HttpResponseBase:
    """Keep items out of search engines, and so out of what is collected for training."""
    answer["X-Robots-Tag"] = "noindex, noarchive"
    return answer


def _tag(parts: Iterable[Any]) -> str:
    told = [*map(repr, parts), get_language() or "", styles_digest(), settings.VERSION]
    return f'"{sha256(chr(10).join(told).encode()).hexdigest()[:32]}"'
