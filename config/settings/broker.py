"""The two brokers Lotsawa runs on: durable files embedded, Redis on servers."""

from pathlib import Path
from typing import Any

LONGEST_UNIT_SECONDS = 600


def broker_settings(redis_url: str, var: Path) -> dict[str, Any]:
    """Return the `CELERY_BROKER_…` settings for a Redis URL, or for the file transport in `var` when it is empty.

    Redis gives a lost worker's messages back only after `visibility_timeout`, and looks for
    them every `unacked_restore_interval` seconds; its defaults add up to more than an hour.
    """
    if redis_url:
        return {
            "CELERY_BROKER_URL": redis_url,
            "CELERY_BROKER_TRANSPORT_OPTIONS": {
                "visibility_timeout": LONGEST_UNIT_SECONDS,
                "unacked_restore_interval": 5,
                "unacked_restore_throttle": 1,
            },
        }
    messages, claimed = var / "broker" / "messages", var / "broker" / "claimed"
    for folder in (var / "broker", messages, claimed):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "CELERY_BROKER_URL": "filesystem://localhost",
        "CELERY_BROKER_TRANSPORT": "jobs.broker:Transport",
        "CELERY_BROKER_TRANSPORT_OPTIONS": {
            "data_folder_in": str(messages),
            "data_folder_out": str(messages),
            "processed_folder": str(claimed),
            "polling_interval": 0.05,
        },
    }
