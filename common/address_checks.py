"""Check addresses that people give, beyond what `common.web_addresses` reads of stored ones."""

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator


def is_web_address(address: str) -> bool:
    """Return whether this is a whole address of the web: http or https, and a host."""
    try:
        URLValidator(schemes=["http", "https"])(address)
    except ValidationError:
        return False
    return True
