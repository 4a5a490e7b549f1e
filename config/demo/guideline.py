"""Reads the demo's guideline: the text, and the rubric out of its two tables of ratings."""

import re
from pathlib import Path

SECTIONS = {"domain": "## Domain alignment", "cultural": "## Cultural alignment"}
ROW = re.compile(r"^\| ([0-5]) \| (.+) \|$", re.MULTILINE)


def read(path: Path) -> tuple[str, dict[str, list[str]]]:
    """Return the Markdown text and {"domain": [6 texts], "cultural": [6 texts]}, rating 0 first."""
    text = path.read_text(encoding="utf-8")
    return text, {name: _levels(text, heading) for name, heading in SECTIONS.items()}


def _levels(text: str, heading: str) -> list[str]:
    section = text.split(heading, 1)[1].split("\n## ", 1)[0]
    meaning = {int(number): said for number, said in ROW.findall(section)}
    return [meaning[number] for number in range(6)]
