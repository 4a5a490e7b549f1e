"""The letters that a site has sent."""

import email
import email.policy
import re
import time
from pathlib import Path

LONGEST_SECONDS = 120
LINK = re.compile(r"https?://\S+/accounts/invitations/\S+")


def find_invitation(folder: Path, address: str) -> str:
    """Return the link in the letter to `address`; the worker sends it within seconds."""
    return find_link(folder, address, LINK)


def find_link(folder: Path, address: str, link: re.Pattern[str]) -> str:
    """Return what `link` finds in a letter to `address`; the worker sends it within seconds."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while True:
        for path in folder.glob("*"):
            message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            body = message.get_body(("plain",))
            if (
                address in str(message["To"])
                and body
                and (found := link.search(body.get_content()))
            ):
                return found[0]
        assert time.monotonic() < deadline, "no e-mail was sent"
        time.sleep(0.1)
