"""Pages that belong to no app: home, a project's overview, help, health and the API's documentation."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from csp.decorators import csp_update
from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe
from drf_spectacular.views import SpectacularSwaggerSplitView
from prometheus_client import CONTENT_TYPE_LATEST

from accounts.actions import mark_news_seen
from accounts.models import User
from accounts.rules import current_user
from common.pagination import keyset_page
from config.health import measure_health
from config.home import home_of
from config.metrics import metrics_text
from config.queries import Funnel, overview
from languages.web_fonts import made_fonts
from projects.models import Project
from projects.queries import projects_of
from projects.selectors import project_for
from projects.styles import packed_styles, page_styles
from review.charts import approval_chart
from review.figures import StageFigures
from review.labels import stage_name
from review.queries import progress_told_to
from review.report_rows import Stage

# Swagger's own page needs inline styles and data: images; no other page gets them.
api_docs = csp_update({"style-src": ["'unsafe-inline'"], "img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="schema", template_name="api_docs.html")
)


@require_safe
@cache_control(no_cache=True)
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script that serves the workbench offline: at the root, since it may act only below it."""
    script = (settings.ROOT / "static" / "js" / "service_worker.js").read_bytes()
    return HttpResponse(script, content_type="text/javascript; charset=utf-8")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What waits for the person, what is new, and their projects."""
    user = current_user(request)
    page = keyset_page(projects_of(user), order=["-pk"], cursor=request.GET.get("cursor"))
    context = {
        "page": page,
        "home": home_of(user, page.rows, now=timezone.now()),
        "can_create": user.has_perm("projects.create_project"),
    }
    return render(request, "config/home.html", context)


@require_POST
def mark_seen(request: HttpRequest) -> HttpResponse:
    """Take what is new as seen."""
    mark_news_seen(user=current_user(request), now=timezone.now())
    return redirect("home")


@require_safe
def project_overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the items are, what waits for whom, and the figures of each stage."""
    user = current_user(request)
    project = project_for(user, slug, "projects.view_project")
    found = overview(project, user, now=timezone.now())
    current = found.current
    steps = funnel_steps(project, found.funnel, user)
    context = {
        "project": project,
        "section": "overview",
        "overview": found,
        "steps": steps[:1] if found.figures_wait else steps,
        "approval_chart": approval_chart(found.stages),
        "stages": _stage_rows(slug, found.stages),
        "current": current,
        "unfinished": found.unfinished,
        "progress": progress_told_to(user, current) if current else None,
        "can_judge": found.mine is not None and found.mine.place.can_take,
        "names_people": user.has_perm("projects.view_members", project),
    }
    return render(request, "config/overview.html", context)


def _stage_rows(slug: str, stages: Sequence[Stage]) -> list[tuple[str, StageFigures, str]]:
    """Name, figures and page of each stage."""
    return [
        (stage_name(each.name), each.figures, reverse("review:round", args=[slug, each.round]))
        for each in stages
    ]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the funnel: how many items are so far, and the page that lists them."""

    label: str
    value: int
    url: str
    note: str = ""
    tone: str = ""


def funnel_steps(project: Project, funnel: Funnel, user: User) -> list[Step]:
    """The funnel as steps with words, and addresses where `user` may go."""
    imported, findings, rounds, releases = (
        reverse(name, args=[project.slug])
        for name in ("annotation:items", "annotation:findings", "review:rounds", "releases:list")
    )
    approved = f"{imported}?state=approved"
    if not user.has_perm("annotation.view_items", project):
        imported = findings = approved = ""
    left_out = ""
    if funnel.excluded:
        left_out = _("%(count)s excluded since") % {"count": funnel.excluded}
    with_errors = _("%(count)s with errors") % {"count": funnel.with_errors}
    released = _("released")
    if funnel.release:
        released = _("in release %(version)s") % {"version": funnel.release.version}
    return [
        Step(_("imported"), funnel.items, imported, note=left_out),
        Step(_("without errors"), funnel.clean, findings, note=with_errors),
        Step(_("judged"), funnel.judged, rounds),
        Step(_("approved"), funnel.approved, approved),
        Step(released, funnel.in_release, releases, tone="good"),
    ]


def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "help.html")


@require_safe
@cache_control(public=True, max_age=31_536_000, immutable=True)
def styles_css(request: HttpRequest) -> HttpResponse:
    """The style sheet of all pages; its address ends in a digest of its content."""
    kind = "text/css; charset=utf-8"
    accepted = request.headers.get("Accept-Encoding", "").split(",")
    if "br" not in map(str.strip, accepted):
        return HttpResponse(page_styles(), content_type=kind)
    headers = {"Content-Encoding": "br", "Vary": "Accept-Encoding"}
    return HttpResponse(packed_styles(), content_type=kind, headers=headers)


@require_safe
@cache_control(public=True, max_age=31_536_000, immutable=True)
def web_font(request: HttpRequest, name: str) -> FileResponse:
    """A font that `subset_fonts` has made; its name ends in a digest of its content."""
    if f"{name}.woff2" not in made_fonts(settings.FONT_FOLDER).values():
        raise Http404
    file = (settings.FONT_FOLDER / f"{name}.woff2").open("rb")
    return FileResponse(file, content_type="font/woff2")


@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """Say how each part of the installation is; 503 if people cannot work."""
    found = measure_health(now=timezone.now())
    state = {"status": found.status, "web": "ok", **asdict(found)}
    return JsonResponse(state, status=200 if found.is_serving else 503)


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus, where LOTSAWA_METRICS is on; to nobody who comes through a proxy."""
    if not settings.METRICS or "X-Forwarded-For" in request.headers:
        raise Http404
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE_LATEST)
