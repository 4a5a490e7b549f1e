"""Sends the files of a release."""

from io import BufferedReader

from django.http import FileResponse
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from releases.manifest import MANIFEST_NAME
from releases.models import Artifact, Release
from releases.storage import artifact_path


class ArtifactUnknown(DomainError):
    code = "artifact_unknown"
    detail = _("This release has no file with this name.")
    status = 404


class ArtifactLost(DomainError):
    code = "artifact_lost"
    detail = _("The file is missing on this server. Ask the administrator to restore it.")
    status = 404


def send_artifact(release: Release, name: str) -> FileResponse:
    """Stream the artifact `name` as a download.

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
    response["ETag"] = f'"{artifact.sha256}"'
    return response


def read_manifest(release: Release) -> bytes:
    """The manifest's bytes as built. Raises ArtifactUnknown, ArtifactLost."""
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
