"""Signatures by the scheme of standardwebhooks.com, and the secrets that they are made with.

A secret is made of the server's secret key and a number in the table: who reads the table alone
can sign nothing.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime

from django.utils.crypto import salted_hmac

PREFIX = "whsec_"


def new_nonce() -> str:
    return secrets.token_urlsafe(32)


def secret_of(nonce: str) -> str:
    """What a receiver keeps: `whsec_` and 32 bytes in base64."""
    return PREFIX + base64.b64encode(_key(nonce)).decode()


def signature_headers(
    *, delivery: str, body: bytes, nonces: Sequence[str], now: datetime
) -> dict[str, str]:
    """The headers of one try; a signature by each of `nonces`, of which one must be right.

    HMAC-SHA256 over `<id>.<seconds since 1970>.<body>`, in base64 after `v1,`.
    """
    stamp = str(int(now.timestamp()))
    signed = f"{delivery}.{stamp}.".encode() + body
    digests = [hmac.new(_key(nonce), signed, hashlib.sha256).digest() for nonce in nonces]
    return {
        "webhook-id": delivery,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(f"v1,{base64.b64encode(each).decode()}" for each in digests),
    }


def _key(nonce: str) -> bytes:
    digest: bytes = salted_hmac("webhooks.Webhook.secret", nonce, algorithm="sha256").digest()
    return digest
