"""What Celery needs to know of Redis; without Redis, jobs need neither."""

from typing import Any

LONGEST_UNIT_SECONDS = 600


def broker_settings(redis_url: str) -> dict[str, Any]:
    """Return the `CELERY_BROKER_…` settings for a Redis URL; none without one.

    Redis gives a lost worker's messages back only after `visibility_timeout`, and looks for
    them every `unacked_restore_interval` seconds; its defaults add up to more than an hour.
    """
    if not redis_url:
        return {}
    return {
        "CELERY_BROKER_URL": redis_url,
        "CELERY_BROKER_TRANSPORT_OPTIONS": {
            "visibility_timeout": LONGEST_UNIT_SECONDS,
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
        },
    }
