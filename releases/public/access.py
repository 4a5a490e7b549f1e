"""Let everybody read a release that is shown to everybody, else those with an account and the right."""

from django.http import Http404
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.api.views import caller
from releases.models import Release
from releases.selectors import release_for


class MayRead(BasePermission):
    """Answer 401 without an account, whether the release exists or not, unless everybody may read it."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.user and request.user.is_authenticated:
            return True
        return find_for_everybody(view.kwargs["project"], view.kwargs["version"]) is not None


def release_for_everybody(slug: str, version: str) -> Release:
    """Return the release that anybody may read, with its project. Raises Http404."""
    found = find_for_everybody(slug, version)
    if found is None:
        raise Http404
    return found


def find_for_everybody(slug: str, version: str) -> Release | None:
    rows = Release.objects.for_everybody().select_related("project")
    found: Release | None = rows.filter(project__slug=slug, version=version).first()
    return found


VIEW = "releases.view_release"


def readable_release(request: Request, project: str, version: str) -> Release:
    """Return the release if everybody may read it or the caller may.

    Views that take callers without an account have the permission `MayRead`. Raises Http404,
    PermissionDenied.
    """
    if found := find_for_everybody(project, version):
        return found
    return release_for(caller(request), project, version, VIEW)
