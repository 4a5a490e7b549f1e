"""What `manage.py check` warns of, and what `manage.py migrate` refuses."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks

from config.backups.databases import applied_migrations
from config.settings.private import is_open_to_others
from config.upgrades import OLDEST, is_too_old


@checks.register
def data_folder_is_private(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Warn if others can read the data folder, with its database, uploads and e-mails."""
    if not is_open_to_others(settings.VAR):
        return []
    return [
        checks.Warning(
            f"Other users of this machine can read {settings.VAR}.",
            hint="Give it to the user who runs Lotsawa, then run: chmod 700 on it.",
            id="lotsawa.W001",
        )
    ]


@checks.register(checks.Tags.database)
def database_is_not_too_old(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[checks.CheckMessage]:
    """Refuse a database from before 0.4.0, whose next migrations this version no longer has."""
    if not databases or not is_too_old(applied_migrations()):
        return []
    return [
        checks.Error(
            f"This database was made by a version of Lotsawa before {OLDEST}.",
            hint=f"Update to {OLDEST}, run its `manage.py migrate`, then update to this version.",
            id="lotsawa.E001",
        )
    ]
