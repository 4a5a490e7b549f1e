"""Reads lists of uids as people paste and upload them."""

from pathlib import Path

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError


class ListUnreadable(DomainError):
    code = "list_unreadable"
    detail = _("%(name)s cannot be read. Give a text file in UTF-8 with one uid on each line.")
    status = 400


def read_uids(path: Path) -> list[str]:
    """Return `uids_of` a file. Raises ListUnreadable."""
    try:
        return decoded_uids(path.read_bytes(), path.name)
    except OSError as error:
        raise ListUnreadable(name=path) from error


def decoded_uids(content: bytes, name: str) -> list[str]:
    """Return `uids_of` what a file holds. Raises ListUnreadable, also for NUL, as in UTF-16."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise ListUnreadable(name=name) from error
    if "\0" in text:
        raise ListUnreadable(name=name)
    return uids_of(text)


def uids_of(text: str) -> list[str]:
    """The lines of a pasted or uploaded list; empty lines and a heading "uid" are left empty.

    They stay in place, so that a refusal names the line that people see. A line in quotation marks
    is read as a cell of a CSV file.
    """
    lines = [_unquoted(line.strip()) for line in text.removeprefix("\ufeff").splitlines()]
    if lines and lines[0].lower() == "uid":
        lines[0] = ""
    return lines


def _unquoted(line: str) -> str:
    is_quoted = len(line) > 1 and line[0] == line[-1] == '"'
    return line[1:-1].replace('""', '"') if is_quoted else line
