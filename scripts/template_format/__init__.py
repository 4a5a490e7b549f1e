"""Writes templates one tag a line.

White space is added and moved only where HTML ignores it: where there is some already, at the
edges of block elements, between a tag's attributes and inside a trimmed text for translation. So
a page looks the same before and after.
"""

from scripts.template_format.nodes import Untidy
from scripts.template_format.writing import format_template

__all__ = ["Untidy", "format_template"]
