"""How secrets that people hold are compared without being kept."""

import hashlib


def hash_secret(secret: str) -> str:
    """SHA-256 in hex; enough for secrets of 160 random bits or more."""
    return hashlib.sha256(secret.encode()).hexdigest()
