"""Find the files of a release that may leave the server."""

from releases.models import Artifact, Release


def public_files(release: Release) -> list[Artifact]:
    """Return the files that may leave the server, by name, without the archive of all of them.

    No file of a release holds a text or key of a hidden item (`releases.files.content`).
    """
    archive = f"{release.project.slug}-{release.version}.zip"
    return list(release.artifacts.exclude(name=archive).order_by("name"))
