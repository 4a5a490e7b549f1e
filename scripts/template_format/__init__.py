"""Writes templates one tag a line.

White space is added and moved only where HTML ignores it: where there is some already, at the
edges of block elements, between a tag's attributes and inside a trimmed text for translation. So
a page looks the same before and after.
"""

from pathlib import Path

from scripts.template_format.nodes import Untidy
from scripts.template_format.writing import format_template

__all__ = ["Untidy", "format_template", "template_paths"]

OTHER_TAGS = "jinja"
"""The folder of templates whose tags are not Django's."""


def template_paths(folder: Path) -> list[Path]:
    """The templates that are written by this rule, in order."""
    paths = sorted(folder.rglob("*.html"))
    return [path for path in paths if OTHER_TAGS not in path.relative_to(folder).parts]
