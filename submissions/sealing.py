"""Keys of strangers' endpoints as they are stored: encrypted, and only for the address they came with.

The database alone opens nothing: the key of the cipher (ChaCha20-Poly1305) is made of the server's
secret key. A sealed key cannot be changed or moved to another address unseen.
"""

import base64
import secrets
from typing import TYPE_CHECKING

from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

_NONCE = 12


class SealBroken(ValueError):
    """The text was sealed with another secret key or for another address, or it was changed."""

    def __init__(self) -> None:
        super().__init__("The sealed key cannot be opened.")


def seal(key: str, *, address: str) -> str:
    """Return `key` encrypted for `address`; empty if it is empty."""
    if not key:
        return ""
    nonce = secrets.token_bytes(_NONCE)
    hidden = _cipher().encrypt(nonce, key.encode(), address.encode())
    return base64.b64encode(nonce + hidden).decode()


def unseal(sealed: str, *, address: str) -> str:
    """Return the key that was sealed for `address`. Raises SealBroken."""
    from cryptography.exceptions import InvalidTag  # loads OpenSSL, which few processes need

    if not sealed:
        return ""
    try:
        data = base64.b64decode(sealed, validate=True)
        key = _cipher().decrypt(data[:_NONCE], data[_NONCE:], address.encode())
    except (ValueError, InvalidTag) as error:
        raise SealBroken from error
    return key.decode()


def _cipher() -> "ChaCha20Poly1305":
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(salted_hmac("submissions.sealing", "", algorithm="sha256").digest())
