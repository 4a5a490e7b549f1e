"""Says which databases this version can take over: those that 0.4.0 and later versions made.

The migrations up to 0.4.0 are one for each app now, which replaces them.
"""

from collections.abc import Collection, Mapping

from django.db.migrations.loader import MigrationLoader

OLDEST = "0.4.0"
Name = str
"""A migration as "app.name"."""


def replacements() -> Mapping[Name, tuple[Name, ...]]:
    """Return each migration of this version with those that it replaces."""
    disk = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return {
        f"{app}.{name}": tuple(".".join(old) for old in migration.replaces)
        for (app, name), migration in disk.items()
    }


def is_too_old(applied: Collection[Name]) -> bool:
    """Return whether a database stopped within migrations that are replaced as a whole."""
    return any(
        0 < len(set(replaced).intersection(applied)) < len(replaced)
        for replaced in replacements().values()
    )
