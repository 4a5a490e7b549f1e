"""Keys of strangers' endpoints as they are stored: encrypted, and only for the address they came with.

The database alone opens nothing: the keys of the cipher are made of the server's secret key. A
sealed key cannot be changed or moved to another address unseen. The cipher is HMAC-SHA256 in counter
mode, with HMAC-SHA256 over the address, the nonce and what it gives (encrypt, then authenticate).
"""

import base64
import hashlib
import hmac
import secrets
from itertools import count

from django.utils.crypto import salted_hmac

_NONCE, _TAG = 16, 32


class SealBroken(ValueError):
    """The text was sealed with another secret key or for another address, or it was changed."""

    def __init__(self) -> None:
        super().__init__("The sealed key cannot be opened.")


def seal(key: str, *, address: str) -> str:
    """Return `key` encrypted for `address`; empty if it is empty."""
    if not key:
        return ""
    nonce = secrets.token_bytes(_NONCE)
    hidden = _mix(key.encode(), nonce)
    return base64.b64encode(nonce + hidden + _tag(nonce, hidden, address)).decode()


def unseal(sealed: str, *, address: str) -> str:
    """Return the key that was sealed for `address`. Raises SealBroken."""
    if not sealed:
        return ""
    try:
        data = base64.b64decode(sealed, validate=True)
    except ValueError as error:
        raise SealBroken from error
    nonce, hidden, tag = data[:_NONCE], data[_NONCE:-_TAG], data[-_TAG:]
    if not hmac.compare_digest(tag, _tag(nonce, hidden, address)):
        raise SealBroken
    return _mix(hidden, nonce).decode()


def _mix(data: bytes, nonce: bytes) -> bytes:
    """Return data xor the stream of the nonce, which undoes itself."""
    key, stream = _key_for("encrypt"), b""
    for number in count():
        if len(stream) >= len(data):
            break
        stream += hmac.digest(key, nonce + number.to_bytes(8, "big"), hashlib.sha256)
    return bytes(one ^ other for one, other in zip(data, stream, strict=False))


def _tag(nonce: bytes, hidden: bytes, address: str) -> bytes:
    told = nonce + hidden + hashlib.sha256(address.encode()).digest()
    return hmac.digest(_key_for("authenticate"), told, hashlib.sha256)


def _key_for(use: str) -> bytes:
    found: bytes = salted_hmac("submissions.sealing", use, algorithm="sha256").digest()
    return found
