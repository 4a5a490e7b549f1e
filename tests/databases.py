"""The test database: migrated once, kept as a template, copied for each process that tests.

An SQLite template also stands in for `manage.py migrate` where a test starts a site of its own.
`python -m tests.databases` makes the template of the database that LOTSAWA_TEST_DATABASE_URL names.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django
from django.apps import apps
from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
KEPT_IN = ROOT / ".pytest_cache" / "databases"
PLACE = hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]
FILE = "lotsawa.sqlite3"


def create_database() -> str:
    """Make this process's own test database and connect to it; the answer is the name before."""
    before, own = connection.settings_dict["NAME"], connection.creation._get_test_db_name()
    if connection.vendor == "sqlite":
        copy_migrated(Path(own))
    else:
        own = f"{own}_{PLACE}"
        copy_migrated_on_server(own)
    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = own
    if connection.vendor == "postgresql":
        connection.ops.sql_flush = _empty  # type: ignore[method-assign]
    return str(before)


def copy_migrated(file: Path) -> None:
    """Write an SQLite database with every table and no rows of ours."""
    with locked(KEPT_IN / "sqlite"):
        shutil.copyfile(_sqlite_template(), file)


def copy_migrated_on_server(name: str) -> None:
    """Make a PostgreSQL database with every table and no rows of ours, in place of one of that name."""
    with locked(KEPT_IN / "postgresql"):
        _copy_on_server(_server_template(), name)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time in `folder`, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _sqlite_template() -> Path:
    """The migrated file of these models; those of others are removed."""
    template = KEPT_IN / f"{_digest()}.sqlite3"
    if not template.exists():
        with tempfile.TemporaryDirectory(dir=KEPT_IN) as var:
            _migrate(LOTSAWA_VAR=var, LOTSAWA_DATABASE_URL="")
            for old in KEPT_IN.glob("*.sqlite3"):
                old.unlink()
            (Path(var) / FILE).rename(template)
    return template


def _server_template() -> str:
    """The database of this checkout that nobody tests on; its comment says of which models."""
    url = urlsplit(os.environ["LOTSAWA_TEST_DATABASE_URL"])
    name = f"{url.path[1:]}_template_{PLACE}"
    if _comment_on(name) != _digest():
        _copy_on_server("template1", name)
        with tempfile.TemporaryDirectory(dir=KEPT_IN) as var:
            _migrate(LOTSAWA_VAR=var, LOTSAWA_DATABASE_URL=url._replace(path=f"/{name}").geturl())
        with connection.creation._nodb_cursor() as cursor:
            cursor.execute(
                f"COMMENT ON DATABASE {connection.ops.quote_name(name)} IS '{_digest()}'"
            )
    return name


def _migrate(**variables: str) -> None:
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    ours = {"DJANGO_SETTINGS_MODULE": "config.settings.dev", "LOTSAWA_REDIS_URL": "", **variables}
    subprocess.run(command, cwd=ROOT, env={**os.environ, **ours}, check=True)


def _digest() -> str:
    """What the tables and the first rows follow from, as a short name."""
    found = hashlib.sha256(f"{django.VERSION} {Path(__file__).read_text()}".encode())
    for app in apps.get_app_configs():
        place = Path(app.path)
        for pattern in ("migrations/*.py", "models.py", "models/*.py", "apps.py"):
            for file in sorted(place.glob(pattern)):
                found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _comment_on(name: str) -> str | None:
    query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s"
    with connection.creation._nodb_cursor() as cursor:
        cursor.execute(query, [name])
        row = cursor.fetchone()
    return row[0] if row else None


def _empty(_style: Any, tables: list[str], **_options: Any) -> list[str]:
    """Statements that empty all tables: a test leaves few rows, and TRUNCATE makes new files for each table."""
    return [f"DELETE FROM {connection.ops.quote_name(table)};" for table in tables]


def _copy_on_server(source: str, name: str) -> None:
    quote = connection.ops.quote_name
    with connection.creation._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {quote(name)}")
        cursor.execute(f"CREATE DATABASE {quote(name)} TEMPLATE {quote(source)}")
        cursor.execute(f"ALTER DATABASE {quote(name)} SET synchronous_commit = off")


def main() -> None:
    """Make the template, so that it is there when the tests begin."""
    django.setup()
    with locked(KEPT_IN / connection.vendor):
        _sqlite_template() if connection.vendor == "sqlite" else _server_template()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    main()
