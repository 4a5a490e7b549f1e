"""Finds planted texts in whatever a server gives out: plain, escaped, encoded, packed."""

import base64
import gzip
import html
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from pyarrow import parquet

DEEPEST = 4
SHORTEST = 8


def found_in(data: bytes, markers: Iterable[str], *, depth: int = DEEPEST) -> set[str]:
    """Those of `markers` that are in `data` in any form, in files within files too."""
    wanted = list(markers)
    found = {marker for marker in wanted if any(form in data for form in forms(marker))}
    if depth:
        for inner in unpacked(data):
            found |= found_in(inner, wanted, depth=depth - 1)
    return found


def forms(marker: str) -> set[bytes]:
    """How a text may be written."""
    escaped = json.dumps(marker)[1:-1]
    plain = {
        marker, escaped, escaped.upper(), json.dumps(marker, ensure_ascii=False)[1:-1],
        html.escape(marker), quote(marker), quote(marker, safe=""),
        "".join(f"&#{ord(sign)};" for sign in marker),
        "".join(f"&#x{ord(sign):x};" for sign in marker),
    }  # fmt: skip
    raw = {text.encode(code) for text in plain for code in ("utf-8", "utf-16-le", "utf-16-be")}
    return raw | {marker.encode().hex().encode()} | _in_base64(marker.encode())


def _in_base64(data: bytes) -> set[bytes]:
    """The middle of its base64, wherever in a longer text it begins; short ones are anywhere."""
    whole = (base64.b64encode(b"\0" * shift + data) for shift in range(3))
    return {middle for text in whole if len(middle := text[4:-4]) >= SHORTEST}


def unpacked(data: bytes) -> Iterator[bytes]:
    """What is in an archive, a compressed file or a table."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from (archive.read(name) for name in archive.namelist())
            yield "\n".join(archive.namelist()).encode() + archive.comment
    elif data[:2] == b"\x1f\x8b":
        yield gzip.decompress(data)
    elif data[:4] == b"PAR1":
        table = parquet.read_table(io.BytesIO(data))
        yield json.dumps(table.to_pylist(), ensure_ascii=False, default=str).encode()
        yield str(table.schema.metadata).encode()
    elif data[:1] == b"\x78":
        try:
            yield zlib.decompress(data)
        except zlib.error:
            return
