"""The page where managers publish a release to the Hugging Face Hub."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from projects.forms import show_refusal
from releases.files.queries import public_files
from releases.hub.actions import start_hub_publishing
from releases.hub.forms import HubForm
from releases.hub.queries import hub_publications, latest_repository
from releases.models import Release
from releases.selectors import release_for


@require_http_methods(["GET", "HEAD", "POST"])
def hub(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show where the release went (GET); queue a publication, or a look at what it changes (POST)."""
    user = current_user(request)
    release = release_for(user, slug, version, "releases.publish_release")
    is_sent = request.method == "POST"
    initial = {"repository": latest_repository(release.project)}
    form = HubForm(request.POST if is_sent else None, initial=initial)
    if is_sent and form.is_valid():
        try:
            job = start_hub_publishing(
                release=release,
                is_dry_run="dry_run" in request.POST,
                actor=user,
                now=timezone.now(),
                **form.cleaned_data,
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            return redirect("jobs:job", job.pk)
    context = _context(release, form)
    return render(request, "releases/hub/hub.html", context, status=400 if form.errors else 200)


def _context(release: Release, form: HubForm) -> dict[str, Any]:
    files = public_files(release)
    return {
        "project": release.project,
        "section": "releases",
        "release": release,
        "form": form,
        "has_token": bool(settings.HUB_TOKEN),
        "publications": hub_publications(release),
        "file_count": len(files),
        "size": sum(file.size for file in files),
    }
