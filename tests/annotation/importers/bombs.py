"""Builds small files that ask their reader for far too much, and what each is refused for.

As a program it builds them all (`build FOLDER`), or imports each as a worker does, in the database
of `FOLDER/var` (`import FOLDER`), and prints what became of it and what it cost: one JSON line a file.
The two are apart so that the memory that building takes is not counted.
"""

import gzip
import io
import json
import os
import resource
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

ITEM = {"uid": "a/1", "subject": "a", "question": "q", "options": ["x", "y"], "key": "A"}
LINE = json.dumps(ITEM).encode() + b"\n"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def noise() -> bytes:
    """Bytes that don't pack: with them an archive looks as if it unpacked to little."""
    return os.urandom(3_000_000)


def zip_of(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members:
            archive.writestr(name or zipfile.ZipInfo(name), content)


def workbook(
    path: Path, rows: bytes, *, texts: bytes = b"", sheets: int = 1, noise: bytes = b""
) -> None:
    names = range(1, sheets + 1)
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    zip_of(
        path,
        [
            (
                "[Content_Types].xml",
                f'<Types xmlns="{PACKAGE}/content-types">'
                f'<Override PartName="/xl/workbook.xml" ContentType="{main}.sheet.main+xml"/>'
                f'<Override PartName="/xl/sharedStrings.xml" ContentType="{main}.sharedStrings+xml"/>'
                "</Types>".encode(),
            ),
            (
                "xl/workbook.xml",
                f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'.encode()
                + b"".join(b'<sheet name="s%d" sheetId="%d" r:id="r1"/>' % (n, n) for n in names)
                + b"</sheets></workbook>",
            ),
            (
                "xl/_rels/workbook.xml.rels",
                f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
                f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'.encode(),
            ),
            ("xl/sharedStrings.xml", f'<sst xmlns="{SHEET}">'.encode() + texts + b"</sst>"),
            (
                "xl/worksheets/sheet1.xml",
                f'<worksheet xmlns="{SHEET}"><sheetData>'.encode()
                + rows
                + b"</sheetData></worksheet>",
            ),
            ("media/picture.png", noise),
        ],
    )


def header(*names: str) -> bytes:
    cells = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in names)
    return f"<row>{cells}</row>".encode()


TABLE = header("uid", "system", "question")


def parquet(path: Path, text: str, rows: int, compression: str = "zstd") -> None:
    """One text, stored once, as the question of every row."""
    import pyarrow as pa
    from pyarrow import parquet as files

    question = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))
    names = pa.array([f"a/{n}" for n in range(rows)])
    table = pa.table({"uid": names, "system": names, "question": question})
    files.write_table(table, path, compression=compression, store_schema=False)


def parquet_columns(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet as files

    files.write_table(pa.table({f"c{n}": [1] for n in range(17_000)}), path)


def parquet_nulls(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet as files

    files.write_table(pa.table({"uid": pa.nulls(1_500_000, pa.string())}), path)


def parquet_list(path: Path) -> None:
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet as files

    numbers = pa.array(np.zeros(10_000_000, np.int32))
    lists = pa.ListArray.from_arrays(pa.array([0, len(numbers)], pa.int32()), numbers)
    files.write_table(pa.table({"uid": ["a"], "options": lists}), path)


def entities(path: Path) -> None:
    levels = "".join(
        f'<!ENTITY e{n} "{"".join([f"&e{n - 1};"] * 10) if n else "ha"}">' for n in range(12)
    )
    texts = f"<!DOCTYPE sst [{levels}]><sst><si><t>&e11;</t></si></sst>".encode()
    workbook(path, TABLE)
    with zipfile.ZipFile(path) as archive:
        parts = [(name, archive.read(name)) for name in archive.namelist()]
    zip_of(path, [(name, texts if "Strings" in name else content) for name, content in parts])


def nested(path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", b"\n" * 1_000_000)
    zip_of(path, [("a.zip", inner.getvalue())])


def text(name: str, start: bytes, piece: bytes, times: int) -> Callable[[Path], None]:
    """One member that begins with `start` and goes on with the same piece many times."""
    return lambda path: zip_of(path, [(name, start + piece * times), ("noise.bin", noise())])


def plain(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


REFERENCES = b'<row><c t="str"><v>u</v></c><c t="str"><v>m</v></c><c t="s"><v>0</v></c></row>'
# Name of the file: how to build it, and the code that it is refused with.
BOMBS: dict[str, tuple[Callable[[Path], object], str]] = {
    "one_text.parquet": (lambda path: parquet(path, "x" * 1_000_000, 1_000), "decodes_too_large"),
    "text.parquet": (lambda path: parquet(path, "x" * 1_000_000, 100_000), "decodes_too_large"),
    "cell.parquet": (lambda path: parquet(path, "x" * 60_000_000, 1), "decodes_too_large"),
    "gzip.parquet": (lambda path: parquet(path, "x" * 60_000_000, 1, "gzip"), "decodes_too_large"),
    "columns.parquet": (parquet_columns, "too_many_columns"),
    "nulls.parquet": (parquet_nulls, "too_many_rows"),
    "list.parquet": (parquet_list, "decodes_too_large"),
    "number.xlsx": (
        lambda path: workbook(path, TABLE + b'<row r="10000000000000"><c><v>1</v></c></row>'),
        "sheet_too_large",
    ),
    "texts.xlsx": (
        lambda path: workbook(path, TABLE, texts=b"<si><t/></si>" * 10_000_000, noise=noise()),
        "file_too_large",
    ),
    "short_texts.xlsx": (
        lambda path: workbook(path, TABLE, texts=b"<si/>" * 2_000_000, noise=noise()),
        "too_many_texts",
    ),
    "cell.xlsx": (
        lambda path: workbook(path, header("x" * 60_000_000), noise=noise()),
        "text_too_long",
    ),
    "sheets.xlsx": (lambda path: workbook(path, TABLE, sheets=5_000), "too_many_sheets"),
    "entities.xlsx": (entities, "not_xlsx"),
    "cells.xlsx": (
        lambda path: workbook(path, b"<row>" + b"<c/>" * 10_000_000 + b"</row>", noise=noise()),
        "too_many_columns",
    ),
    "wide.xlsx": (
        lambda path: workbook(path, TABLE + b'<row><c r="ZZZ2"><v>1</v></c></row>'),
        "too_many_columns",
    ),
    "references.xlsx": (
        lambda path: workbook(
            path, TABLE + REFERENCES * 1_000, texts=b"<si><t>%s</t></si>" % (b"x" * 900_000)
        ),
        "decodes_too_large",
    ),
    "ratio.zip": (lambda path: zip_of(path, [("a.jsonl", b"\n" * 20_000_000)]), "archive_bomb"),
    "nested.zip": (nested, "nothing_to_read"),
    "members.zip": (
        lambda path: zip_of(path, ((f"{n}.csv", b"") for n in range(110_000))),
        "too_many_files",
    ),
    "nameless.zip": (lambda path: zip_of(path, [("", LINE)]), "nothing_to_read"),
    "outside.zip": (lambda path: zip_of(path, [("/etc/a.jsonl", LINE)]), "path_outside"),
    "members.jsonl.gz": (plain(gzip.compress(LINE) * 1_000), "format_not_recognised"),
    "line.zip": (text("a.jsonl", b'{"uid": "', b"x", 50_000_000), "row_too_long"),
    "blank.zip": (text("a.jsonl", b"", b"\n", 50_000_000), "too_many_blank_lines"),
    "objects.zip": (text("a.jsonl", b"", b"[]\n", 1_100_000), "not_an_object"),
    "field.zip": (text("a.csv", b'uid,"', b"x\n", 25_000_000), "row_too_long"),
    "lists.zip": (text("a.json", b"[", b"[],", 12_000_000), "too_much_memory"),
    "numbers.zip": (text("a.json", b"[", b"1000,", 9_500_000), "too_much_memory"),
    "columns.csv": (plain(",".join(map(str, range(100_000))).encode() + b"\n1\n"), "too_many_columns"),
    "deep.json": (plain(b"[" * 100_000), "not_json"),
    "deep.jsonl": (plain(b"[" * 100_000 + b"\n"), "bad_json"),
    "digits.jsonl": (plain(b'{"uid": ' + b"9" * 900_000 + b"}\n"), "bad_json"),
    "digits.json": (plain(b'[{"id": ' + b"9" * 900_000 + b"}]"), "not_json"),
}  # fmt: skip


def build(folder: Path) -> None:
    for name, (make, _code) in BOMBS.items():
        make(folder / name)


def import_all(folder: Path) -> None:
    set_up(folder)
    for name in BOMBS:
        sys.stdout.write(json.dumps({"name": name, **tried(folder / name)}) + "\n")


def set_up(folder: Path) -> None:
    os.environ["LOTSAWA_VAR"] = str(folder / "var")
    os.environ["LOTSAWA_LOG_LEVEL"] = "CRITICAL"
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.base"
    import django

    django.setup()


def tried(path: Path) -> dict[str, object]:
    """Import the file by a job, done as a worker does it, and return its end and its cost."""
    from django.utils import timezone

    from accounts.models import User
    from annotation.imports.actions import start_import
    from annotation.imports.opening import ImportOptions
    from jobs.worker import run_now
    from projects.models import Project

    now = timezone.now()
    user, _ = User.objects.get_or_create(email="a@example.org", defaults={"date_joined": now})
    project, _ = Project.objects.get_or_create(
        slug="p", defaults={"source_language": "zh", "target_language": "bo", "created_at": now}
    )
    with path.open("rb") as file:
        job = start_import(
            project=project, file=file, name=path.name, options=ImportOptions(), actor=user, now=now
        ).job
    cpu = seconds()
    job = run_now(job)
    return {
        "code": job.error_data.get("reason", job.error_code),
        "words": job.error,
        "seconds": seconds() - cpu,
        "megabytes": megabytes(),
    }


def seconds() -> float:
    """CPU seconds of this process and of those of its children that have ended."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def megabytes() -> float:
    """The most memory that this process had, and the most that one of its children had.

    For the process itself the system would count what was there before the program began.
    """
    status = Path("/proc/self/status").read_text("ascii").splitlines()
    own = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return (own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024


if __name__ == "__main__":
    {"build": build, "import": import_all}[sys.argv[1]](Path(sys.argv[2]))
