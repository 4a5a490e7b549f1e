"""manifest.json: what the release is made of, and every file written before it."""

from releases.files.exporters.base import ReleaseContent
from releases.files.exporters.output import OutputFolder
from releases.files.manifest import MANIFEST_NAME, manifest_bytes


def export(content: ReleaseContent, folder: OutputFolder) -> None:
    data = manifest_bytes(content.facts, folder.files)
    folder.add_bytes(MANIFEST_NAME, data, media_type="application/json")
