"""Copying either database consistently while others write, and restoring the copy.

SQLite is copied by its backup API: a copy of the file itself lacks the latest commits, which are
in the write-ahead log, and can be torn. PostgreSQL is copied by its own programs.
"""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

from config.backups.errors import BackupDamaged, DatabaseProgramFailed, DatabaseProgramMissing

NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
# What `migrate` itself writes into an empty database.
MADE_BY_MIGRATE = {"django_content_type", "auth_permission"}
LOCK_SECONDS = 20
LONGEST_PROBLEM = 500


def kind() -> str:
    """Return "SQLite" or "PostgreSQL"."""
    return NAMES[connection.vendor]


def applied_migrations() -> tuple[str, ...]:
    applied = MigrationRecorder(connection).applied_migrations()
    return tuple(sorted(f"{app}.{name}" for app, name in applied))


def first_table_with_rows() -> str:
    """Return a table in which people have left something, or "" if the database is empty."""
    there = set(connection.introspection.django_table_names(only_existing=True))
    with connection.cursor() as cursor:
        for table in sorted(there - MADE_BY_MIGRATE):
            cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table)} LIMIT 1")  # noqa: S608
            if cursor.fetchone():
                return table
    return ""


def dump(path: Path) -> None:
    """Write a copy with every transaction that committed before the call, each complete.

    Writers go on meanwhile. Raises DatabaseProgramMissing, DatabaseProgramFailed.
    """
    if connection.vendor == "sqlite":
        _dump_sqlite(path)
    else:
        # What the archive packs need not be packed here too.
        _run("pg_dump", "--format=custom", "--compress=0", "--file", str(path), *_WITHOUT_OWNERS)


def check(path: Path, *, archive: Path) -> None:
    """Refuse an unpacked copy that is not a complete database (BackupDamaged)."""
    if connection.vendor == "sqlite" and (problem := _sqlite_problem(path)):
        raise BackupDamaged(file=archive, problem=problem)


def load(path: Path) -> None:
    """Replace the database by the copy in one transaction.

    Waits for whoever writes. Raises DatabaseProgramMissing, DatabaseProgramFailed.
    """
    connection.close()
    if connection.vendor == "sqlite":
        _load_sqlite(path)
    else:
        _load_postgresql(path)


_WITHOUT_OWNERS = ("--no-owner", "--no-privileges", "--no-comments")


def _dump_sqlite(path: Path) -> None:
    with _sqlite_words(), closing(sqlite3.connect(_sqlite_file())) as source:
        with closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        if problem := _sqlite_problem(path):
            raise DatabaseProgramFailed(program="integrity_check", problem=problem)


def _load_sqlite(path: Path) -> None:
    with (
        _sqlite_words(),
        closing(sqlite3.connect(path)) as copy,
        closing(sqlite3.connect(_sqlite_file(), timeout=LOCK_SECONDS)) as target,
    ):
        target.execute("PRAGMA journal_mode=WAL")
        copy.backup(target)


def _sqlite_problem(path: Path) -> str:
    """Return what SQLite finds wrong with a database, or ""."""
    try:
        with closing(sqlite3.connect(path)) as copy:
            told = [row[0] for row in copy.execute("PRAGMA integrity_check(3)")]
            if told != ["ok"]:
                return "; ".join(map(str, told))[:LONGEST_PROBLEM]
            if copy.execute("PRAGMA foreign_key_check").fetchone():
                return _("a row refers to another row that is missing")
    except sqlite3.DatabaseError as error:
        return str(error)
    return ""


def _sqlite_file() -> str:
    return str(connection.settings_dict["NAME"])


@contextmanager
def _sqlite_words() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise DatabaseProgramFailed(program="SQLite", problem=str(error)) from error


def _load_postgresql(path: Path) -> None:
    """Run the output of pg_restore in psql, and commit only if both finish."""
    quoted = ", ".join(map(connection.ops.quote_name, connection.introspection.table_names()))
    connection.close()
    begin = f"BEGIN; SET LOCAL lock_timeout = '{LOCK_SECONDS}s';\n"
    begin += f"DROP TABLE {quoted} CASCADE;\n" if quoted else ""
    psql = _start("psql", "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
    reader = _start("pg_restore", "--file=-", *_WITHOUT_OWNERS, str(path))
    with psql, reader:
        assert psql.stdin is not None  # noqa: S101 - a pipe
        assert reader.stdout is not None  # noqa: S101 - a pipe
        with suppress(BrokenPipeError):  # psql has given up and says why
            psql.stdin.write(begin.encode())
            shutil.copyfileobj(reader.stdout, psql.stdin)
            reader.stdout.close()
            if reader.wait() == 0:
                psql.stdin.write(b"\nCOMMIT;\n")
        with suppress(BrokenPipeError):
            psql.stdin.close()
        psql.stdin = None
        _settle("psql", psql)
        reader.stdout.close()
        _settle("pg_restore", reader)


def _run(program: str, *words: str) -> None:
    process = _start(program, *words)
    with process:
        assert process.stdin  # noqa: S101 - a pipe
        process.stdin.close()
        _settle(program, process)


def _start(program: str, *words: str) -> subprocess.Popen[bytes]:
    found = shutil.which(program)
    if found is None:
        raise DatabaseProgramMissing(program=program)
    return subprocess.Popen(
        [found, *words],
        env={**os.environ, **_postgresql_environment()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _settle(program: str, process: subprocess.Popen[bytes]) -> None:
    """Wait for a program; raises DatabaseProgramFailed with its last words if it failed."""
    said = process.stderr.read() if process.stderr else b""
    if process.wait():
        problem = said.decode("utf-8", "replace").strip()[-LONGEST_PROBLEM:]
        raise DatabaseProgramFailed(program=program, problem=problem)


def _postgresql_environment() -> dict[str, str]:
    """Return the connection as environment variables, so that no command line has the password."""
    told = connection.settings_dict
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD"}
    values = {name: str(told.get(key) or "") for name, key in names.items()}
    values["PGDATABASE"] = str(told["NAME"])
    options = told.get("OPTIONS", {})
    for key in ("sslmode", "sslrootcert", "sslcert", "sslkey"):
        values[f"PG{key.upper()}"] = str(options.get(key, ""))
    return {name: value for name, value in values.items() if value}
