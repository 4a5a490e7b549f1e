"""Which build of the pages this process serves, so that an open page notices a new one."""

from functools import cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings

PARTS = ("templates", "static/js", "static/css")


@cache
def build_id() -> str:
    """Twelve hex digits that change whenever a template, script or style changes."""
    digest = sha256()
    for part in PARTS:
        for path in sorted(Path(settings.ROOT, part).rglob("*.*")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
