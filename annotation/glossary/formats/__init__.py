"""Files of terms: CSV and the two basic dialects of TBX, read and written without loss."""

from typing import Final

from annotation.glossary.formats.base import (
    ReadTerms,
    is_utf_16,
)
from annotation.glossary.formats.csv_terms import read_csv
from annotation.glossary.formats.tbx_reading import read_tbx

FORMATS: Final = ("csv", "tbx", "dct.tbx")


def read_terms(content: bytes, *, source_language: str, target_language: str) -> ReadTerms:
    """Read a file of terms; what it is shows from how it begins."""
    if _is_markup(content):
        return read_tbx(content, source_language=source_language, target_language=target_language)
    return read_csv(content)


def _is_markup(content: bytes) -> bool:
    if is_utf_16(content):
        return content.decode("utf-16", "replace").lstrip()[:1] == "<"
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"
