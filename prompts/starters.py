"""Prompts to start from, in the structure of published benchmarks; one YAML file each in `builtin/`."""

from functools import cache
from pathlib import Path
from typing import Final

from languages import get_language
from prompts.yaml_files import PromptFile, read_prompt

FOLDER: Final = Path(__file__).parent / "builtin"


@cache
def starters() -> tuple[PromptFile, ...]:
    """Return all of them, by name."""
    paths = sorted(FOLDER.glob("*.yaml"))
    return tuple(read_prompt(path.read_text(encoding="utf-8"), language="en") for path in paths)


def starters_for(language: str) -> list[PromptFile]:
    """Return all of them, those in `language` first."""
    own = get_language(language).code
    return sorted(starters(), key=lambda each: (each.template.language != own, each.name))


def starter_named(name: str) -> PromptFile | None:
    return next((each for each in starters() if each.name == name), None)
