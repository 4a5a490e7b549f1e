"""Pages of releases for members: the list, one release with its files, publishing and yanking."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.htmx import render_page
from common.markdown import to_html
from common.pagination import listed_page
from jobs.queries import is_worker_alive
from projects.models import Project
from projects.selectors import project_for, why_keys_are_closed
from releases.enums import ReleaseState
from releases.files.archiving import send_archive
from releases.files.content import release_facts
from releases.files.downloads import send_artifact
from releases.hub.queries import hub_publications
from releases.links import release_links
from releases.models import Artifact, Release
from releases.problems.queries import problem_reports
from releases.public.access import VIEW
from releases.public.items import shown_options
from releases.publishing.actions import publish_release, yank_release
from releases.publishing.audience import show_to_everybody, show_to_members
from releases.publishing.forms import YankForm
from releases.queries import example_item, releases_seen_by
from releases.selectors import release_for


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files of one folder of a release; `name` is empty for those at its root."""

    name: str
    files: tuple[Artifact, ...]
    size: int


@require_safe
def release_list(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "releases.view_releases")
    rows = releases_seen_by(user, project)
    page = listed_page(request, rows, order=["-pk"])
    context = {
        "project": project,
        "section": "releases",
        "page": page,
        "closed": why_keys_are_closed(user, project),
        "can_build": user.has_perm("releases.build_release", project),
        **_problem_context(user, project),
    }
    return render(request, "releases/publishing/list.html", context)


@require_safe
def detail(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    user = current_user(request)
    release = release_for(user, slug, version, VIEW)
    is_frozen = release.frozen_at is not None
    example = example_item(release)
    context = {
        **_release_context(request, release),
        "facts": release_facts(release) if is_frozen else None,
        "groups": _file_groups(release.artifacts.order_by("name")),
        "files_url": f"{reverse('releases:detail', args=[slug, version])}files/",
        "publications": hub_publications(release),
        "links": release_links(release, user) if release.published_at else [],
        "example": example,
        "options": shown_options(example) if example else [],
        "reference": example.reference if example else "",
        "notes": to_html(release.notes),
    }
    return render(request, "releases/publishing/detail.html", context)


@require_safe
def job(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show the progress of a build alone; ask for the whole page again when it has ended."""
    release = release_for(current_user(request), slug, version, "releases.view_build")
    if not getattr(request, "htmx", None):
        return redirect("releases:detail", slug, version)
    context = _release_context(request, release)
    response = render_page(request, "releases/publishing/detail.html", context, partial="job")
    if release.job is None or release.job.has_ended:
        response["HX-Refresh"] = "true"
    return response


@require_safe
def artifact(request: HttpRequest, slug: str, version: str, name: str) -> HttpResponseBase:
    return send_artifact(request, release_for(current_user(request), slug, version, VIEW), name)


@require_safe
def archive(request: HttpRequest, slug: str, version: str) -> FileResponse:
    return send_archive(release_for(current_user(request), slug, version, VIEW))


@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, "releases.publish_release")
    if request.method != "POST":
        context = _release_context(request, release)
        return render(request, "releases/publishing/publish.html", context)
    actor, now = current_user(request), timezone.now()
    publish_release(release=release, actor=actor, now=now)
    if "everybody" in request.POST:
        show_to_everybody(release=release, actor=actor, now=now)
    messages.success(request, _("Release %s is published.") % release.version)
    return redirect("releases:detail", slug, version)


@require_POST
def audience(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show a published release to everybody, or to members only again."""
    release = release_for(current_user(request), slug, version, "releases.change_audience")
    change = show_to_everybody if "everybody" in request.POST else show_to_members
    change(release=release, actor=current_user(request), now=timezone.now())
    return redirect("releases:detail", slug, version)


@require_http_methods(["GET", "HEAD", "POST"])
def yank(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, "releases.yank_release")
    form = YankForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        context = {**_release_context(request, release), "form": form}
        status = 200 if request.method != "POST" else 400
        return render(request, "releases/publishing/yank.html", context, status=status)
    reason = form.cleaned_data["reason"]
    yank_release(release=release, reason=reason, actor=current_user(request), now=timezone.now())
    messages.success(request, _("Release %s is yanked.") % release.version)
    return redirect("releases:detail", slug, version)


def _problem_context(user: User, project: Project) -> dict[str, object]:
    can_decide = user.has_perm("releases.decide_problem", project)
    waiting = problem_reports(project).undecided().count() if can_decide else 0
    return {"can_decide": can_decide, "problem_count": waiting}


def _release_context(request: HttpRequest, release: Release) -> dict[str, object]:
    now = timezone.now()
    is_open = release.state in (ReleaseState.BUILDING, ReleaseState.FAILED)
    return {
        "project": release.project,
        "section": "releases",
        "release": release,
        "job": release.job if is_open else None,
        "seconds_left": release.job.seconds_left(now) if is_open and release.job else None,
        "is_worker_alive": is_worker_alive(now=now) if is_open else None,
        "can_manage": current_user(request).has_perm("releases.publish_release", release),
        "archive": f"{release.project.slug}-{release.version}.zip",
    }


def _file_groups(artifacts: Iterable[Artifact]) -> list[FileGroup]:
    found: dict[str, list[Artifact]] = defaultdict(list)
    for file in artifacts:
        folder, _slash, _name = file.name.rpartition("/")
        found[folder].append(file)
    return [
        FileGroup(name, tuple(files), sum(file.size for file in files))
        for name, files in sorted(found.items())
    ]
