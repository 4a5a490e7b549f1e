"""SHA256SUMS: the hashes of all other files, for `sha256sum --check SHA256SUMS`."""

from releases.files.exporters.base import ReleaseContent
from releases.files.exporters.output import OutputFolder


def export(_content: ReleaseContent, folder: OutputFolder) -> None:
    files = sorted(folder.files, key=lambda file: file.name)
    text = "".join(f"{file.sha256}  {file.name}\n" for file in files)
    folder.add_bytes("SHA256SUMS", text.encode(), media_type="text/plain")
