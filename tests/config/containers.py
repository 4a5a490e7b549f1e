"""The services of compose.yaml, and the environment they run in, as the tests need them."""

import os
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]


def production(var: Path, database_url: str = "", redis_url: str = "") -> dict[str, str]:
    """The environment of a service in production settings, with its files in `var`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LOTSAWA_")}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "config.settings.prod",
        "LOTSAWA_SECRET_KEY": "only-for-this-test-" + "x" * 50,
        "LOTSAWA_ALLOWED_HOSTS": "127.0.0.1",
        "LOTSAWA_DATABASE_URL": database_url,
        "LOTSAWA_REDIS_URL": redis_url,
        "LOTSAWA_VAR": str(var),
        "LOTSAWA_LOG_LEVEL": "WARNING",
    }


def module_of(service: str, **changed: str) -> list[str]:
    """The words after `python -m` or `python` of a service's command, some exchanged."""
    words = SERVICES[service]["command"]
    assert words[0] == "python"
    return [changed.get(word.partition("=")[0].strip("-"), word) for word in words[1:]]
