"""Pages to build a release, to cancel a build and to resume it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.rules import current_user
from common.errors import DomainError
from projects.models import Project
from projects.selectors import project_for
from releases.building.actions import cancel_build, resume_build, start_build
from releases.building.forms import START, BuildForm, asked_part, asked_share
from releases.building.previews import build_preview
from releases.readiness.checks import ReleaseExists, VersionInvalid, VersionNotGreater
from releases.readiness.report import Readiness, readiness
from releases.selectors import release_for


@require_http_methods(["GET", "HEAD", "POST"])
def build(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what a build would hold, with the form's values if sent (GET), or start it (POST)."""
    project = project_for(current_user(request), slug, "releases.build_release")
    data = request.POST if request.method == "POST" else request.GET
    found = readiness(project, black_box_share=asked_share(data), hidden_part=asked_part(data))
    if request.method == "POST":
        return _start(request, project, BuildForm(data, waivable=found.waivable), found)
    if "dev_per_subject" in data:
        form = BuildForm(data, waivable=found.waivable)
        form.is_valid()
    else:
        initial = {**START, "version": data.get("version", "") or found.proposed_version}
        form = BuildForm(initial=initial, waivable=found.waivable)
    return _build_page(request, project, form, found, status=200)


@require_POST
def cancel(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, "releases.cancel_build")
    cancel_build(release=release, actor=current_user(request), now=timezone.now())
    return redirect("releases:detail", slug, version)


@require_POST
def resume(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, "releases.resume_build")
    resume_build(release=release, actor=current_user(request), now=timezone.now())
    return redirect("releases:detail", slug, version)


def _start(
    request: HttpRequest, project: Project, form: BuildForm, found: Readiness
) -> HttpResponse:
    if not form.is_valid():
        return _build_page(request, project, form, found, status=400)
    try:
        release = start_build(
            project=project,
            request=form.build_request(),
            actor=current_user(request),
            now=timezone.now(),
        )
    except (VersionInvalid, ReleaseExists, VersionNotGreater) as error:
        form.add_error("version", str(error))
        return _build_page(request, project, form, found, status=error.status)
    except DomainError as error:
        form.add_error(None, str(error))
        return _build_page(request, project, form, found, status=error.status)
    return redirect("releases:detail", project.slug, release.version)


def _build_page(
    request: HttpRequest, project: Project, form: BuildForm, found: Readiness, *, status: int
) -> HttpResponse:
    preview = build_preview(project, form.split_rule())
    matters = [(each, "bad") for each in found.blocking if each.code != "nothing_approved"]
    context = {
        "project": project,
        "section": "releases",
        "form": form,
        "preview": preview,
        "is_blocked": not found.can_be_built,
        "matters": [*matters, *((each, "warn") for each in found.warnings)],
    }
    return render(request, "releases/building/build.html", context, status=status)
