"""A release of the shared items after simulated rounds says what `review_report` says."""

import html
import itertools
import json
import re
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from projects.models import Project
from releases.publishing.audience import show_to_everybody
from releases.readiness.waivers import WaiverRequest
from review.disputes.actions.adjudication import DecisionContent, ErrorsOpen, adjudicate_panel
from review.models import Panel
from review.outcomes import Correction
from tests.factories import MembershipFactory, UserFactory
from tests.releases.builders import NOW, build_published, files_of

pytestmark = pytest.mark.django_db

SUBJECTS, ROWS = ("anatomy", "arts", "economics"), 16
STAGES = ["Initial", "1st Alignment", "2nd Alignment"]
"""The rows of TLUE's third table."""


def told_by(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def import_some(shared: Path, folder: Path) -> None:
    """The first rows of a few subjects, in both languages."""
    for name, lines in (("cmmlu/test", ROWS + 1), ("ti_mmlu", ROWS)):
        target = folder / name
        target.mkdir(parents=True)
        for subject in SUBJECTS:
            [path] = (shared / name).glob(f"{subject}.*")
            with path.open(encoding="utf-8") as rows:
                (target / path.name).write_text("".join(itertools.islice(rows, lines)), "utf-8")
    told_by("import_items", "ti", str(folder / "cmmlu"), "--licence", "CC-BY-NC-4.0")
    told_by("import_items", "ti", str(folder / "ti_mmlu"), "--system", "mt")


def judge_round(project: Project, number: int) -> None:
    """A round of simulated reviewers, whose disputes a senior settles."""
    told_by("open_round", "ti", "--panel-size", "2", "--force")
    told_by("simulate_reviewers", "ti", "--reviewers", "5", "--seed", str(number))
    senior = UserFactory()
    MembershipFactory(project=project, user=senior, role="senior")
    disputed = Panel.objects.filter(round__project=project, state="disputed")
    for place, panel in enumerate(disputed.order_by("position")):
        settle(panel, senior, may_stand=place % 3 == 0)
    told_by("close_round", "ti", str(number))


def settle(panel: Panel, senior: Any, *, may_stand: bool) -> None:
    """Let the text stand, if it may and no check objects; else it goes to the next round anew."""
    text = panel.revision
    asked = len(panel.item.options)  # some published rows lost their options
    options = tuple(option or "མེད།" for option in (*text.options, *[""] * asked)[:asked])
    merged = Correction(question=f"{text.question} །", options=options)
    said = {"reason": "Read it again.", "numbers_confirmed": True}
    merge = DecisionContent(kind="merge", correction=merged, **said)
    approve = DecisionContent(kind="approve", **said)
    for content in (approve, merge) if may_stand else (merge,):
        with suppress(ErrorsOpen):
            adjudicate_panel(panel=panel, senior=senior, content=content, now=timezone.now())
            return


def rows_of(markdown: str) -> dict[str, dict[str, str]]:
    """The rows of all Markdown tables by their first cell: heading → cell."""
    found: dict[str, dict[str, str]] = {}
    heads: list[str] = []
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    for line, below in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if set(below) <= set("|-: ") and below:
            heads = cells
        elif set(line) - set("|-: "):
            found.setdefault(cells[0], {}).update(zip(heads, cells, strict=True))
    return found


def cells_of(page: str) -> list[list[str]]:
    """The rows of all tables of a page, as text."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    cells = (re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows)
    return [[html.unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in row] for row in cells]


def test_card_and_page_have_the_figures_of_the_report(
    project: Project, shared_data: Path, tmp_path: Path
) -> None:
    import_some(shared_data, tmp_path)
    for number in (1, 2, 3):
        judge_round(project, number)

    waivers = (WaiverRequest("simulated_judgements", "The rounds of a test."),)
    release = build_published(project, waivers=waivers)
    show_to_everybody(release=release, actor=None, now=NOW)

    report = json.loads(told_by("review_report", "ti", "--json"))
    files = files_of(release)
    assert len(report["stages"]) == len(STAGES)
    assert json.loads(files["quality.json"])["stages"] == report["stages"]
    section = files["README.md"].decode().partition("## Stages of review")[2].partition("\n## ")[0]
    card, said = rows_of(section), rows_of(told_by("review_report", "ti", "--table", "stages"))
    assert list(card) == STAGES
    for name in STAGES:
        assert card[name] == {head: said[name][head] for head in said[name] if head != "Panel"}
    rows = cells_of(Client().get("/releases/ti/0.1.0/").content.decode())
    for name in STAGES:
        rates, agreement = (row for row in rows if row and row[0] == name)
        assert [*rates, *agreement[2:]] == list(card[name].values())
