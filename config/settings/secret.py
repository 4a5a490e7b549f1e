"""The secret key of an embedded installation, made once and kept beside its database."""

import os
import secrets
from pathlib import Path


def read_or_make_secret(path: Path) -> str:
    """Return the key in `path`; the first caller creates it, readable only by its owner."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(descriptor, "w") as file:
        key = secrets.token_urlsafe(50)
        file.write(key)
    return key
