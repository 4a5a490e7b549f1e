"""The two databases Lotsawa runs on: SQLite embedded, PostgreSQL on servers."""

from pathlib import Path
from typing import Any

import environ

from config.settings.private import make_database_private

SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA cache_size=-32000;"
    "PRAGMA temp_store=MEMORY;"
)


def database_settings(url: str, var: Path) -> dict[str, Any]:
    """Return the `DATABASES["default"]` entry for a database URL, or for SQLite in `var` when it is empty."""
    if not url:
        url = f"sqlite:///{var / 'lotsawa.sqlite3'}"
    settings: dict[str, Any] = dict(environ.Env.db_url_config(url))
    if settings["ENGINE"].endswith("sqlite3"):
        make_database_private(Path(settings["NAME"]))
        settings["OPTIONS"] = {
            # Taking the write lock at BEGIN makes a writer wait for its turn instead of failing when it upgrades.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": SQLITE_PRAGMAS,
        }
        # Opening the file and setting the pragmas costs more than most requests ask of it.
        settings["CONN_MAX_AGE"] = None
    else:
        settings["ENGINE"] = "common.postgresql"
        # After how many runs the server keeps the plan of a statement, see common/prepared.py.
        settings.setdefault("OPTIONS", {}).setdefault("prepare_threshold", 2)
        settings["CONN_MAX_AGE"] = 60
        settings["CONN_HEALTH_CHECKS"] = True
    return settings
