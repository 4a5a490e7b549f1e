"""Networks that an administrator allows; the server does not start with some that cannot be read."""

from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured

from common.addresses import read_networks


def readable_networks(name: str, texts: Sequence[str]) -> list[str]:
    """Return the networks as they are written. Raises ImproperlyConfigured, which names the variable."""
    try:
        read_networks(texts)
    except ValueError as error:
        words = f"LOTSAWA_{name} cannot be read: {error}. Write networks with commas between them, such as"
        raise ImproperlyConfigured(f"{words} 10.1.0.0/16,fd00:1::/64.") from error
    return [*texts]
