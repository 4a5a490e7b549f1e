"""The services of compose.yaml, read as the tests need them."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]


def module_of(service: str, **changed: str) -> list[str]:
    """The words after `python -m` or `python` of a service's command, some exchanged."""
    words = SERVICES[service]["command"]
    assert words[0] == "python"
    return [changed.get(word.partition("=")[0].strip("-"), word) for word in words[1:]]
