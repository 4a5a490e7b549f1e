"""The parts of the workbench that differ from item to item, as Jinja renders them (ADR 0056)."""

from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString


def item_part(name: str, context: Mapping[str, Any]) -> SafeString:
    """One of templates/jinja by its name without ending: `item_texts`, or all as `item_parts`."""
    return SafeString(render_to_string(f"{name}.html", dict(context), using="jinja2"))
