"""What `manage.py check` says of the settings of webhooks."""

from typing import Any

from django.conf import settings
from django.core import checks


@checks.register
def authorities_are_readable(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Without them no worker sends any webhook."""
    from webhooks.sending import trusted_certificates  # its client takes long to load

    path = settings.WEBHOOK_AUTHORITIES
    if not path:
        return []
    try:
        trusted_certificates(path)
    except OSError as error:
        return [
            checks.Error(
                f"LOTSAWA_WEBHOOK_AUTHORITIES names {path}, which cannot be read: {error}.",
                hint="Name a file in PEM format with one certificate of an authority or more.",
                id="lotsawa.E003",
            )
        ]
    return []
