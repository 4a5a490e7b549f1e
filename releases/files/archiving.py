"""Pack the public files of a release in one archive, with the metadata that Zenodo reads."""

import tempfile
from pathlib import Path

from django.http import FileResponse
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from releases.files.content import release_facts
from releases.files.exporters.output import sha256_of
from releases.files.exporters.zenodo import ZENODO_NAME, zenodo_bytes
from releases.files.queries import public_files
from releases.files.storage import release_folder, write_zip
from releases.models import Release


class NotBuilt(DomainError):
    code = "release_not_built"
    detail = _("Release %(version)s has no files yet.")
    status = 404


def archive_name(release: Release) -> str:
    return f"{release.project.slug}-{release.version}-zenodo.zip"


def metadata_of(release: Release) -> bytes:
    """Return the metadata of a deposit. Raises NotBuilt."""
    if release.frozen_at is None:
        raise NotBuilt(version=release.version)
    return zenodo_bytes(release_facts(release))


def write_archive_of(release: Release, target: Path) -> str:
    """Write the archive to the new file `target`; return its SHA-256. Raises NotBuilt, OSError.

    The same release gives the same bytes, whenever it is asked for.
    """
    names = [file.name for file in public_files(release)]
    if not names:
        raise NotBuilt(version=release.version)
    folder = release_folder(release.project.slug, release.version)
    root = f"{release.project.slug}-{release.version}"
    write_zip(target, folder, names, root=root, more={ZENODO_NAME: metadata_of(release)})
    return sha256_of(target)


def send_archive(release: Release) -> FileResponse:
    """Stream the archive as a download. Raises NotBuilt."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / archive_name(release)
        sha256 = write_archive_of(release, path)
        handle = path.open("rb")  # stays readable when its folder is gone
    response = FileResponse(
        handle,
        as_attachment=True,
        filename=archive_name(release),
        content_type="application/zip",
    )
    response["ETag"] = f'"{sha256}"'
    return response
