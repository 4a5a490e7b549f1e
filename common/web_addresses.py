"""Which addresses from other people may become links: pages of the web, and nothing that runs."""

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

SCHEMES = ("http://", "https://")


def web_address(address: str) -> str:
    """Return the address if it is http or https, else an empty text."""
    return address if address.lower().startswith(SCHEMES) else ""


def is_web_address(address: str) -> bool:
    """Return whether this is a whole address of the web: http or https, and a host."""
    try:
        URLValidator(schemes=["http", "https"])(address)
    except ValidationError:
        return False
    return True
