"""Which addresses from other people may become links: pages of the web, and nothing that runs."""

SCHEMES = ("http://", "https://")


def web_address(address: str) -> str:
    """Return the address if it is http or https, else an empty text."""
    return address if address.lower().startswith(SCHEMES) else ""
