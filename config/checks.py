"""The warnings of `manage.py check`."""

from typing import Any

from django.conf import settings
from django.core import checks

from config.settings.private import is_open_to_others


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
