"""What the card says of review and people: the figures of the report, and no figure of its own."""

import json
import re
from collections.abc import Iterator
from io import StringIO
from itertools import product
from typing import Any

import pytest
from django.core.management import call_command

from annotation.enums import PairState
from annotation.models import Item
from projects.models import PayRate, Project
from releases.files.exporters import card
from releases.files.exporters.card_sections import count_of
from releases.files.exporters.stage_tables import stage_name
from releases.files.manifest import SourceNote
from releases.models import Release
from releases.readiness.waivers import WaiverRequest
from review.enums import Purpose
from review.report.labels import stage_name as label_of
from review.report.rows import StageName
from tests.factories import MembershipFactory, UserFactory
from tests.releases.builders import NOW, add_error, add_pair, build, files_of, fill, judge

NUMBER = re.compile(r"\N{MINUS SIGN}?\d+(?:\.\d+)?")


def reviewed(project: Project) -> Release:
    """A release of two rounds, with hidden items, a dispute, a duplicate and a waiver."""
    fill(project, subjects=2, tests=7, devs=2)
    items = {item.uid: item for item in Item.objects.all()}
    people = [UserFactory() for _ in range(3)]
    for number, person in enumerate(people):
        MembershipFactory(project=project, user=person, role="reviewer", languages=["bo"])
        PayRate.objects.create(
            project=project, user=person, from_month="2026-01-01", hourly=17 + number,
            currency="CNY", set_at=NOW,
        )  # fmt: skip
    judge(items["s0/1"], people, outcome="approved")
    judge(items["s1/1"], people, outcome="disputed", senior=UserFactory(), number=2)
    Item.objects.filter(uid="s1/6").update(state="excluded")
    add_pair(items["s1/5"], items["s1/6"], PairState.DUPLICATE)
    add_error(items["s0/2"])
    waivers = (WaiverRequest("open_errors", "Known."),)
    return build(project, black_box_share=0.3, waivers=waivers, option_order="shuffled")


def sections(card: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", card.split("---\n", 2)[2], flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def numbers_in(told: Any) -> Iterator[str]:
    """Every number of a JSON value as the card may write it: whole, rounded, or per cent."""
    if isinstance(told, dict):
        for name, value in told.items():
            yield from NUMBER.findall(str(name))
            yield from numbers_in(value)
    elif isinstance(told, list):
        for value in told:
            yield from numbers_in(value)
    elif isinstance(told, str):
        yield from NUMBER.findall(told)
    elif isinstance(told, int | float) and not isinstance(told, bool):
        yield from (f"{told:.2f}", f"{100 * told:.1f}", str(told))


@pytest.mark.django_db
def test_card_has_the_stages_of_the_report_and_every_number_is_in_quality_json(
    project: Project,
) -> None:
    files = files_of(reviewed(project))
    card_text, quality = files["README.md"].decode(), json.loads(files["quality.json"])
    told = sections(card_text)
    known = set(numbers_in(quality)) | {"95", "10"}  # of the notes below tables
    states = ["", "Subjects", "Sizes", "Order of options", "How it was made", "Reviewers",
              "Stages of review", "Waivers"]  # fmt: skip
    for name in states:
        text = re.sub(r"# .* 0\.1\.0|`[^`]*`|1st|2nd|Subject \d", "", told[name])
        assert set(NUMBER.findall(text)) - known == set(), name
    assert "17.00 to 19.00 CNY" in told["Reviewers"]
    assert "Duplicates removed before: 1." in told["How it was made"]
    out = StringIO()
    call_command("review_report", project.slug, "--table", "stages", stdout=out)
    lines = [line.split(" | ")[0] for line in out.getvalue().splitlines() if "[" in line]
    rows = [line for line in told["Stages of review"].splitlines() if line.startswith("| ")]
    assert lines
    for first in lines:
        assert [row for row in rows if row.startswith(f"{first} |")], first
    wanted = {cell for line in out.getvalue().splitlines() if line.startswith("| ")
              for cell in line.strip("| ").split(" | ") if "[" in cell}  # fmt: skip
    given = {cell for row in rows for cell in row.strip("| ").split(" | ")}
    assert {cell for cell in wanted if cell not in given} <= ratings_so_far(out.getvalue())


def ratings_so_far(report: str) -> set[str]:
    """Cells of the cumulative ratings, which only the report has."""
    return {
        cell
        for line in report.splitlines()
        for cell in line.strip("| ").split(" | ")[-4:]
        if line.startswith("| ")
    }


def test_stages_have_the_names_of_the_report() -> None:
    names = product(Purpose, [1, 2, 3, 4, 11, 12, 13, 21, 112], [1, 2])
    stages = [StageName(*each) for each in names]
    assert {each: stage_name(each.as_json()) for each in stages} == {
        each: label_of(each) for each in stages
    }


@pytest.mark.django_db
def test_pay_of_two_people_is_not_told(project: Project) -> None:
    fill(project)
    people = [UserFactory(), UserFactory()]
    judge(Item.objects.get(uid="s0/1"), people, outcome="approved")
    for person in people:
        PayRate.objects.create(
            project=project, user=person, from_month="2026-01-01", hourly=17, currency="CNY",
            set_at=NOW,
        )  # fmt: skip
    found = json.loads(files_of(build(project))["quality.json"])["build"]["people"]
    assert (found["reviewers"], found["paid"], found["pay"]) == (2, 2, [])


def test_one_item_is_written_as_one() -> None:
    assert [count_of(number, "open item") for number in (0, 1, 2)] == [
        "0 open items",
        "1 open item",
        "2 open items",
    ]


def test_card_links_a_source_only_to_the_web() -> None:
    notes = [
        SourceNote(name="A", revision="1", url=url, licence="MIT", attribution="", checksum="")
        for url in ("https://example.org/a", "javascript:alert(1)")
    ]

    lines = "".join(card._sources(notes)).splitlines()[2:]

    assert lines[0] == "- A 1. Licence: MIT. <https://example.org/a>"
    assert lines[1] == "- A 1. Licence: MIT."
