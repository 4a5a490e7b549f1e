"""Make names that tell nothing: ids of hidden items, and numbers of reviewers in a ledger."""

import base64
import hashlib
import hmac
from collections.abc import Iterable

HIDDEN_PREFIX = "hidden-"
_ID_BYTES = 15


def hidden_id(uid: str, *, secret: str) -> str:
    """Return the id of a hidden item: the same in every version, unknown without the secret."""
    drawn = base64.b32encode(_keyed(secret, f"item\n{uid}")[:_ID_BYTES])
    return f"{HIDDEN_PREFIX}{drawn.decode().lower()}"


def reviewer_names(people: Iterable[int], *, secret: str, version: str) -> dict[int, str]:
    """Name each reviewer of one release, in another order in each version."""
    ranked = sorted(people, key=lambda pk: (_keyed(secret, f"reviewer\n{version}\n{pk}"), pk))
    return {pk: f"reviewer-{number}" for number, pk in enumerate(ranked, 1)}


def _keyed(secret: str, text: str) -> bytes:
    return hmac.digest(secret.encode(), text.encode(), hashlib.sha256)
