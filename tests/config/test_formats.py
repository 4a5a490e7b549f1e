"""Dates and times are written in one form, which nobody can misread, and never by hand in a template."""

import re
from datetime import UTC, date, datetime

import pytest
from django.template import Context, Template

from tests.browser.site import ROOT

MOMENT = datetime(2026, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        ("moment", "3 Feb 2026, 04:05 UTC"),
        ('moment|date:"DATETIME_FORMAT"', "3 Feb 2026, 04:05 UTC"),
        ('moment|date:"SHORT_DATETIME_FORMAT"', "3 Feb 2026, 04:05 UTC"),
        ('moment|date:"DATE_FORMAT"', "3 Feb 2026"),
        ('moment|time:"TIME_FORMAT"', "04:05 UTC"),
        ("day", "3 Feb 2026"),
    ],
)
def test_date_is_written_with_its_month_in_letters_and_time_with_its_zone(
    expression: str, written: str
) -> None:
    context = Context({"moment": MOMENT, "day": date(2026, 2, 3)})
    assert Template("{{ " + expression + " }}").render(context) == written


def test_templates_name_a_format_and_never_spell_one_out() -> None:
    spelled = re.compile(r'\|(?:date|time):["\'](?!c["\']|[A-Z_]+_FORMAT["\'])[^"\']*["\']')
    found = {
        str(path.relative_to(ROOT)): spelled.findall(path.read_text(encoding="utf-8"))
        for path in (ROOT / "templates").rglob("*.*")
    }
    assert {path: hits for path, hits in found.items() if hits} == {}
