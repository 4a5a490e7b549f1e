"""The environment of the templates in templates/jinja: what is rendered at every review.

They are the parts of the workbench that differ from item to item. Django's own templates took a
third of the server's time for a review; compiled ones take a quarter of that (ADR 0056). All other
pages are Django's templates, and what is rare within an item is too (`django_template`).
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.defaultfilters import time
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import json_script
from django.utils.timezone import localtime
from django.utils.translation import get_language, gettext
from jinja2 import ChainableUndefined, Environment

from annotation.items.other_sources import other_sources
from annotation.items.text_rows import TextRow
from annotation.models import Item
from annotation.templatetags.item_texts import rendered, source_lang, text_lang, text_languages
from annotation.templatetags.terms import TEMPLATE as TERM_HITS
from annotation.templatetags.terms import term_hits
from projects.models import Project
from projects.templatetags.languages import lang, language_name


def environment(**options: Any) -> Environment:
    """Return the environment that `TEMPLATES` names; missing values are written as ''."""
    options |= {"undefined": ChainableUndefined, "trim_blocks": True, "lstrip_blocks": True}
    found = Environment(**options)  # noqa: S701 - Django's backend asks for escaping
    found.globals |= _functions()
    return found


def _functions() -> dict[str, Callable[..., Any]]:
    return {
        "_": gettext,
        "clock": _clock,
        "django_template": _django_template,
        "json_script": json_script,
        "lang": lang,
        "language_name": language_name,
        "number": intcomma,
        "other_sources": _other_sources,
        "page_language": get_language,
        "rendered": rendered,
        "source_lang": source_lang,
        "term_hits": _term_hits,
        "text_lang": text_lang,
        "text_languages": text_languages,
        "url": _url,
    }


def _url(name: str, *values: Any) -> str:
    return reverse(name, args=values)


def _clock(moment: datetime) -> str:
    """Return a time of day as the pages write it."""
    return time(localtime(moment), "TIME_FORMAT")


def _other_sources(item: Item, project: Project) -> str:
    found = other_sources(item, project)
    return _django_template("includes/other_sources.html", sources=found) if found else ""


def _term_hits(project: Project, rows: Sequence[TextRow]) -> str:
    context = term_hits(project, rows)
    return _django_template(TERM_HITS, **context) if context["shown"].hits else ""


def _django_template(name: str, **context: Any) -> str:
    return render_to_string(name, context)
