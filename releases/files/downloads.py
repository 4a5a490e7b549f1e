"""Send the files of a release."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from io import BufferedReader

from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from releases.files.manifest import MANIFEST_NAME
from releases.files.storage import artifact_path
from releases.models import Artifact, Release

_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})", re.ASCII)
_PIECE = 256 * 1024


class ArtifactUnknown(DomainError):
    code = "artifact_unknown"
    detail = _("This release has no file with this name.")
    status = 404


class ArtifactLost(DomainError):
    code = "artifact_lost"
    detail = _("The file is missing on this server. Ask the administrator to restore it.")
    status = 404


def send_artifact(request: HttpRequest, release: Release, name: str) -> HttpResponseBase:
    """Stream the artifact `name` as a download, or the one range of it that is asked for.

    The path comes from the artifact's row, never from the request. Raises ArtifactUnknown,
    ArtifactLost.
    """
    artifact, handle = _open(release, name)
    slug = release.project.slug
    plain = artifact.name.replace("/", "-")
    response = FileResponse(
        handle,
        as_attachment=True,
        filename=plain if plain.startswith(slug) else f"{slug}-{release.version}-{plain}",
        content_type=artifact.media_type,
    )
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = tag = f'"{artifact.sha256}"'
    if known := get_conditional_response(request, etag=tag):
        handle.close()
        return known
    is_same = request.headers.get("If-Range", tag) == tag
    return _in_part(request, response, handle, artifact.size) if is_same else response


def _in_part(
    request: HttpRequest, response: FileResponse, handle: BufferedReader, size: int
) -> FileResponse:
    """Narrow `response` to the range that is asked for; several ranges get the whole file."""
    asked = _RANGE.fullmatch(request.headers.get("Range", ""))
    if request.method != "GET" or asked is None or not (asked[1] or asked[2]):
        return response
    start, end = _bounds(asked[1], asked[2], size)
    if start > end:
        refused = FileResponse(b"", status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
        refused["Content-Range"] = f"bytes */{size}"
        handle.close()
        return refused
    handle.seek(start)
    response.streaming_content = _pieces(handle, end - start + 1)
    response.status_code = HTTPStatus.PARTIAL_CONTENT
    response["Content-Length"] = str(end - start + 1)
    response["Content-Range"] = f"bytes {start}-{end}/{size}"
    return response


def _bounds(first: str, last: str, size: int) -> tuple[int, int]:
    """Return the first and last byte of `bytes=5-9`, `bytes=5-` or `bytes=-5`, the last five."""
    if not first:
        return max(0, size - int(last)), size - 1 if int(last) else -1
    return int(first), min(int(last), size - 1) if last else size - 1


def _pieces(handle: BufferedReader, left: int) -> Iterator[bytes]:
    with handle:
        while left and (piece := handle.read(min(left, _PIECE))):
            left -= len(piece)
            yield piece


def read_text(project_slug: str, version: str, name: str) -> str:
    """Return the small text file `name` of a built release, or "". Never pass a name from a request."""
    path = artifact_path(project_slug=project_slug, version=version, name=name)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def read_manifest(release: Release) -> bytes:
    """Return the manifest's bytes as built. Raises ArtifactUnknown, ArtifactLost."""
    with _open(release, MANIFEST_NAME)[1] as handle:
        return handle.read()


def _open(release: Release, name: str) -> tuple[Artifact, BufferedReader]:
    artifact = release.artifacts.filter(name=name).first()
    if artifact is None:
        raise ArtifactUnknown
    path = artifact_path(
        project_slug=release.project.slug, version=release.version, name=artifact.name
    )
    try:
        return artifact, path.open("rb")
    except FileNotFoundError as error:
        raise ArtifactLost from error
