"""Pages of releases: the list, the build form, one release with its files."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.errors import DomainError
from common.htmx import render_page
from common.markdown import to_html
from common.pagination import keyset_page
from jobs.queries import is_worker_alive
from languages.letters import LETTERS
from projects.models import Project
from projects.selectors import project_for, why_keys_are_closed
from releases import actions
from releases.actions.checks import ReleaseExists, VersionInvalid, VersionNotGreater
from releases.archiving import send_archive
from releases.change_tables import change_tables, changes_by_subject
from releases.changelog import as_markdown
from releases.content import release_facts
from releases.differences import compared, earlier_releases
from releases.downloads import send_artifact
from releases.enums import ReleaseState
from releases.forms import START, BuildForm, YankForm, asked_share
from releases.models import Artifact, Release, ReleaseItem
from releases.queries import (
    build_preview,
    example_item,
    hub_publications,
    problem_reports,
    releases_seen_by,
)
from releases.readiness import Readiness, readiness
from releases.selectors import release_for

VIEW = "releases.view_release"
CHANGES_SHOWN = 50


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
    page = keyset_page(rows, order=["-pk"], cursor=request.GET.get("cursor"))
    context = {
        "project": project,
        "section": "releases",
        "page": page,
        "closed": why_keys_are_closed(user, project),
        "can_build": user.has_perm("releases.build_release", project),
        **_problem_context(user, project),
    }
    return render(request, "releases/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def build(request: HttpRequest, slug: str) -> HttpResponse:
    """GET shows what a build would hold (with the form's values, if sent); POST starts it."""
    project = project_for(current_user(request), slug, "releases.build_release")
    data = request.POST if request.method == "POST" else request.GET
    found = readiness(project, black_box_share=asked_share(data))
    if request.method == "POST":
        return _start(request, project, BuildForm(data, waivable=found.waivable), found)
    if "dev_per_subject" in data:
        form = BuildForm(data, waivable=found.waivable)
        form.is_valid()
    else:
        initial = {**START, "version": data.get("version", "") or found.proposed_version}
        form = BuildForm(initial=initial, waivable=found.waivable)
    return _build_page(request, project, form, found, status=200)


@require_safe
def detail(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, VIEW)
    is_frozen = release.frozen_at is not None
    example = example_item(release)
    context = {
        **_release_context(request, release),
        "facts": release_facts(release) if is_frozen else None,
        "groups": _file_groups(release.artifacts.order_by("name")),
        "files_url": f"{reverse('releases:detail', args=[slug, version])}files/",
        "publications": hub_publications(release),
        "example": example,
        "options": _options(example) if example else [],
        "reference": example.reference if example else "",
        "notes": to_html(release.notes),
    }
    return render(request, "releases/detail.html", context)


@require_safe
def changes(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """What changed since an earlier release, the one before unless the address names another."""
    user = current_user(request)
    release = release_for(user, slug, version, VIEW)
    earlier = earlier_releases(user, release)
    since = request.GET.get("since", "")
    found = compared(user, release, since=since, most=CHANGES_SHOWN)
    if release.frozen_at is None or (since and found is None):
        raise Http404
    context = {
        "project": release.project,
        "section": "releases",
        "release": release,
        "earlier": earlier,
        "found": found,
        "changes": change_tables(found) if found else [],
        "subjects": changes_by_subject(release, found) if found else [],
    }
    return render(request, "releases/difference.html", context)


@require_safe
def changelog(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The whole difference as a Markdown file."""
    user = current_user(request)
    release = release_for(user, slug, version, VIEW)
    found = compared(user, release, since=request.GET.get("since", ""), most=None)
    if found is None:
        raise Http404
    name = f"{slug}-{found.before}-{found.after}.md"
    response = HttpResponse(as_markdown(found), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
def job(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The progress of a build alone; when it has ended, the whole page is asked for again."""
    release = release_for(current_user(request), slug, version, "releases.view_build")
    if not getattr(request, "htmx", None):
        return redirect("releases:detail", slug, version)
    context = _release_context(request, release)
    response = render_page(request, "releases/detail.html", context, partial="job")
    if release.job is None or release.job.has_ended:
        response["HX-Refresh"] = "true"
    return response


@require_safe
def artifact(request: HttpRequest, slug: str, version: str, name: str) -> HttpResponseBase:
    return send_artifact(request, release_for(current_user(request), slug, version, VIEW), name)


@require_safe
def archive(request: HttpRequest, slug: str, version: str) -> FileResponse:
    """The archive for Zenodo."""
    return send_archive(release_for(current_user(request), slug, version, VIEW))


@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, "releases.publish_release")
    if request.method != "POST":
        context = _release_context(request, release)
        return render(request, "releases/publish.html", context)
    actor, now = current_user(request), timezone.now()
    actions.publish_release(release=release, actor=actor, now=now)
    if "everybody" in request.POST:
        actions.show_to_everybody(release=release, actor=actor, now=now)
    messages.success(request, _("Release %s is published.") % release.version)
    return redirect("releases:detail", slug, version)


@require_POST
def audience(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show a published release to everybody, or to members only again."""
    release = release_for(current_user(request), slug, version, "releases.change_audience")
    change = actions.show_to_everybody if "everybody" in request.POST else actions.show_to_members
    change(release=release, actor=current_user(request), now=timezone.now())
    return redirect("releases:detail", slug, version)


@require_http_methods(["GET", "HEAD", "POST"])
def yank(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, "releases.yank_release")
    form = YankForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        context = {**_release_context(request, release), "form": form}
        status = 200 if request.method != "POST" else 400
        return render(request, "releases/yank.html", context, status=status)
    reason = form.cleaned_data["reason"]
    actions.yank_release(
        release=release, reason=reason, actor=current_user(request), now=timezone.now()
    )
    messages.success(request, _("Release %s is yanked.") % release.version)
    return redirect("releases:detail", slug, version)


@require_POST
def cancel(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, "releases.cancel_build")
    actions.cancel_build(release=release, actor=current_user(request), now=timezone.now())
    return redirect("releases:detail", slug, version)


@require_POST
def resume(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    release = release_for(current_user(request), slug, version, "releases.resume_build")
    actions.resume_build(release=release, actor=current_user(request), now=timezone.now())
    return redirect("releases:detail", slug, version)


def _problem_context(user: User, project: Project) -> dict[str, object]:
    """How many problem reports wait, for those who decide them."""
    can_decide = user.has_perm("releases.decide_problem", project)
    waiting = problem_reports(project).undecided().count() if can_decide else 0
    return {"can_decide": can_decide, "problem_count": waiting}


def _start(
    request: HttpRequest, project: Project, form: BuildForm, found: Readiness
) -> HttpResponse:
    if not form.is_valid():
        return _build_page(request, project, form, found, status=400)
    try:
        release = actions.start_build(
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
    return render(request, "releases/build.html", context, status=status)


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


def _options(placed: ReleaseItem) -> list[tuple[str, str, bool]]:
    """(letter, text, whether it is the key) of each option."""
    options = zip(LETTERS, placed.options, strict=False)
    return [(letter, text, letter == placed.key) for letter, text in options]


def _file_groups(artifacts: Iterable[Artifact]) -> list[FileGroup]:
    found: dict[str, list[Artifact]] = defaultdict(list)
    for file in artifacts:
        folder, _slash, _name = file.name.rpartition("/")
        found[folder].append(file)
    return [
        FileGroup(name, tuple(files), sum(file.size for file in files))
        for name, files in sorted(found.items())
    ]
