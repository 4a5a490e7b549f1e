"""The domain error of an import that is refused as a whole."""

from collections.abc import Mapping
from typing import Final

TOO_MUCH_MEMORY: Final = "too_much_memory"


class ImportRefused(Exception):  # a refusal in words, not a fault
    """Nothing of the file can be imported; `code` is stable, `data` fills its message."""

    def __init__(self, code: str, data: Mapping[str, str | int] | None = None) -> None:
        self.code = code
        self.data = dict(data or {})
        super().__init__(code, self.data)


def too_much_memory(name: str) -> ImportRefused:
    """Return the refusal of a file that cannot be read within the memory that an import has."""
    return ImportRefused(TOO_MUCH_MEMORY, {"file": name})
