"""Reading the demo's guideline: the text, and the rubric from its tables of ratings."""

import re
from pathlib import Path

from projects.criteria import DEFAULT_CRITERIA, Criterion

ROW = re.compile(r"^\| ([0-9]) \| (.+) \|$", re.MULTILINE)


def read(path: Path) -> tuple[str, dict[str, list[str]]]:
    """Return the Markdown text and {criterion: [one text a rating, the lowest first]}.

    A criterion without a section has the rubric of a new project.
    """
    text = path.read_text(encoding="utf-8")
    return text, {each.name: _levels(text, each) for each in DEFAULT_CRITERIA}


def _levels(text: str, criterion: Criterion) -> list[str]:
    _before, heading, rest = text.partition(f"## {criterion.label}")
    if not heading:
        return list(criterion.rubric)
    meaning = {int(number): said for number, said in ROW.findall(rest.partition("\n## ")[0])}
    return [meaning[rating] for rating in criterion.scale]
