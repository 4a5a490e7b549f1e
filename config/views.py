"""Pages that belong to no app: help, styles, fonts, health, metrics and the API's documentation."""

from dataclasses import asdict

from csp.decorators import csp_update
from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe
from drf_spectacular.views import SpectacularSwaggerSplitView
from prometheus_client import CONTENT_TYPE_LATEST

from config.health import measure_health
from config.metrics import metrics_text
from languages.web_fonts import made_fonts
from projects.styles import packed_styles, page_styles

# Swagger's own page needs inline styles and data: images; no other page gets them.
api_docs = csp_update({"style-src": ["'unsafe-inline'"], "img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="schema", template_name="api_docs.html")
)


@require_safe
@cache_control(no_cache=True)
def service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the service worker at the root, because it may act only below its address."""
    script = (settings.ROOT / "static" / "js" / "service_worker.js").read_bytes()
    return HttpResponse(script, content_type="text/javascript; charset=utf-8")


def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "help.html")


@require_safe
@cache_control(public=True, max_age=31_536_000, immutable=True)
def styles_css(request: HttpRequest) -> HttpResponse:
    """Serve the style sheet of all pages; its address ends in a digest of its content."""
    kind = "text/css; charset=utf-8"
    accepted = request.headers.get("Accept-Encoding", "").split(",")
    if "br" not in map(str.strip, accepted):
        return HttpResponse(page_styles(), content_type=kind)
    headers = {"Content-Encoding": "br", "Vary": "Accept-Encoding"}
    return HttpResponse(packed_styles(), content_type=kind, headers=headers)


@require_safe
@cache_control(public=True, max_age=31_536_000, immutable=True)
def web_font(request: HttpRequest, name: str) -> FileResponse:
    """Serve a font made by `subset_fonts`; its name ends in a digest of its content."""
    if f"{name}.woff2" not in made_fonts(settings.FONT_FOLDER).values():
        raise Http404
    file = (settings.FONT_FOLDER / f"{name}.woff2").open("rb")
    return FileResponse(file, content_type="font/woff2")


@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """Report the state of each part of the installation; 503 if people cannot work."""
    found = measure_health(now=timezone.now())
    state = {"status": found.status, "web": "ok", **asdict(found)}
    return JsonResponse(state, status=200 if found.is_serving else 503)


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Serve figures for Prometheus if LOTSAWA_METRICS is on, but not through a proxy."""
    if not settings.METRICS or "X-Forwarded-For" in request.headers:
        raise Http404
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE_LATEST)
