"""A project with criteria of its own goes the whole way: judged, disputed, reported, exported, released."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.items.revisions import text_hash
from annotation.models import Revision
from projects.criteria import DEFAULT_CRITERIA, RESERVED_NAMES, read_criteria
from projects.criteria_forms import CriteriaForm
from projects.enums import Role
from projects.models import Project
from releases.files.storage import release_folder
from releases.verification.checking import verify
from review.answers.rows import _ABOUT
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.enums import DecisionKind, Selection
from review.models import Assignment, Panel, Round
from review.people.work_rows import _AFTER, _BEFORE
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundInvalid, RoundSettings
from review.workbench.forms import JudgementForm
from review.workbench.judgement_rows import ROW_NAMES
from tests.factories import UserFactory
from tests.releases.builders import build
from tests.review.conftest import OPTIONS
from tests.review.kinds import take

pytestmark = pytest.mark.django_db
Api = Callable[[User], APIClient]
Browser = Callable[[User], Client]
Member = Callable[..., User]
Open = Callable[..., Round]
URL = "/api/v1/projects/ti/criteria/"
PAGE = "/projects/ti/criteria/"
STYLE = {
    "name": "style",
    "label": "House style",
    "short_label": "Style",
    "lowest": 0,
    "highest": 3,
    "rubric": ["none", "a little", "mostly", "all of it"],
}
FLUENCY = {
    "name": "fluency",
    "label": "Fluency",
    "short_label": "Fluency",
    "lowest": 1,
    "highest": 7,
    "rubric": ["The higher, the more it reads like a text of the language."],
}
THREE = [DEFAULT_CRITERIA[0].as_json(), FLUENCY, STYLE]


def typed(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The fields of the page."""
    return {
        f"{name}_{number}": "\n".join(value) if name == "rubric" else value
        for number, row in enumerate(rows, start=1)
        for name, value in row.items()
    }


def by_api(api: APIClient, seat: Assignment, **ratings: int) -> Any:
    return api.post(
        f"/api/v1/assignments/{seat.pk}/judgement/",
        {"verdict": "approve", "ratings": ratings, "revision": seat.panel.revision_id},
        format="json",
        HTTP_IDEMPOTENCY_KEY=f"seat-{seat.pk}",
    )


def by_page(browser: Client, seat: Assignment, **ratings: int) -> Any:
    fields = {
        "assignment": seat.pk,
        "revision": seat.panel.revision_id,
        "idempotency_key": f"seat-{seat.pk}",
        "verdict": "approve",
        "question": seat.panel.revision.question,
        **{f"option_{n}": text for n, text in enumerate(OPTIONS)},
        **ratings,
    }
    return browser.post("/projects/ti/rounds/1/submit/", fields)


def settle(panel: Panel, senior: User) -> None:
    content = DecisionContent(kind=DecisionKind.APPROVE, judgement=None, fields=[], reason="fluent")
    adjudicate_panel(panel=panel, senior=senior, content=content, now=timezone.now())


def released(project: Project) -> Path:
    """The folder of a release; first the texts of the factory get their true hashes."""
    for revision in Revision.objects.all():
        digest = text_hash(revision.question, revision.options)
        Revision.objects.filter(pk=revision.pk).update(content_hash=digest)
    release = build(project, dev_per_subject=0)
    return release_folder(project.slug, release.version)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def test_three_criteria_go_the_whole_way(
    project: Project, member: Member, opened: Open, api_of: Api, browser_of: Browser
) -> None:
    manager, senior = member(Role.MANAGER), member(Role.SENIOR)
    first, second = member(Role.REVIEWER), member(Role.REVIEWER)
    page = browser_of(manager).post(PAGE, typed(THREE))
    assert page.status_code == 302, page.content.decode()
    round_ = opened(12, panel_size=2, score_gap=4)

    for number in range(12):
        seats = take(round_, first), take(round_, second)
        fluency = 3 if number == 0 else 6
        sent = by_api(api_of(first), seats[0], domain=4, fluency=7, style=number % 4)
        assert sent.status_code == 201, sent.json()
        answer = by_page(browser_of(second), seats[1], domain=5, fluency=fluency, style=3)
        assert answer.status_code == 303, answer.content.decode()

    (dispute,) = Panel.objects.filter(outcome="disputed")
    assert dispute.reasons == [{"code": "score_gap", "criterion": "fluency", "low": 3, "high": 7}]
    assert dispute.tally == "A470 A533"
    matrix = browser_of(senior).get(f"/projects/ti/disputes/{dispute.pk}/").content.decode()
    assert "Fluency from 3 to 7" in matrix
    assert '<span class="nowrap">Style 3</span>' in matrix
    settle(dispute, senior)
    close_round(round_=round_, actor=None, now=timezone.now())

    _report_agrees(browser_of(manager), api_of(manager))
    _exports_have_a_column_each(api_of(manager), browser_of(first))
    item = (
        browser_of(manager).get(f"/projects/ti/items/{dispute.item_id}/history/").content.decode()
    )
    assert "Fluency 7" in item
    folder = released(project)
    assert verify(folder).problems == ()
    quality = json.loads((folder / "quality.json").read_text("utf-8"))
    assert quality["stages"][0]["fluency_mean"]["value"] == pytest.approx(153 / 24)


def _report_agrees(browser: Client, api: APIClient) -> None:
    """Page, CSV, LaTeX, Markdown, JSON and the API print the same mean of 153 / 24."""
    report = api.get("/api/v1/projects/ti/report/").json()
    stage = report["stages"][0]
    assert stage["fluency_mean"]["value"] == pytest.approx(153 / 24)
    rows = {row["criterion"]: row for row in report["criteria"]}
    assert list(rows) == ["domain", "fluency", "style"]
    assert rows["fluency"]["counts"] == [0, 0, 1, 0, 0, 11, 12]
    assert rows["style"]["counts"] == [3, 3, 3, 15]
    assert all(set(row["severity"]) == set(rows) for row in report["reviewers"])
    page = browser.get("/projects/ti/report/").content.decode()
    stem = "/projects/ti/report/"
    files = {
        end: browser.get(f"{stem}stages.{end}").content.decode() for end in ("latex", "markdown")
    }
    for text in (page, *files.values()):
        assert "Fluency" in text
        assert "6.38" in text
    as_csv = table(browser.get(f"{stem}stages.csv").content.decode())
    assert float(as_csv[0]["fluency_mean"]) == pytest.approx(153 / 24, abs=1e-4)
    as_json = json.loads(browser.get(f"{stem}stages.json").content)
    assert as_json["stages"][0]["fluency_mean"] == stage["fluency_mean"]
    by_rating = table(browser.get(f"{stem}criteria.csv").content.decode())
    assert [row["rated_7"] for row in by_rating] == ["", "12", ""]
    assert [row["rated_0"] for row in by_rating] == ["0", "", "3"]
    reviewers = browser.get(f"{stem}reviewers/").content.decode()
    assert "Severity, fluency" in reviewers


def _exports_have_a_column_each(manager: APIClient, reviewer: Client) -> None:
    answer = manager.get("/api/v1/projects/ti/judgements/export/?format=csv")
    text = b"".join(answer.streaming_content).decode()
    rows = table(text)
    assert text.partition("verdict,")[2].startswith("domain,fluency,style,tags,")
    assert [rows[0][name] for name in ("domain", "fluency", "style")] == ["4", "7", "0"]
    mine = b"".join(reviewer.get("/my-work.csv").streaming_content).decode()
    assert {row["fluency"] for row in table(mine)} == {"7"}
    assert "Fluency 7" in reviewer.get("/my-work/").content.decode().replace("\n", " ")


def test_one_criterion_goes_the_whole_way(
    project: Project, member: Member, opened: Open, api_of: Api, browser_of: Browser
) -> None:
    manager, senior, only = member(Role.MANAGER), member(Role.SENIOR), member(Role.REVIEWER)
    answer = api_of(manager).put(URL, {"criteria": [STYLE]}, format="json")
    assert (answer.status_code, answer.json()) == (200, {"criteria": [STYLE]})
    round_ = opened(2, panel_size=1)
    seat = take(round_, only)

    page = browser_of(only).get("/projects/ti/rounds/1/workbench/").content.decode()
    sent = by_page(browser_of(only), seat, style=2)
    by_api(api_of(only), take(round_, only), style=3)
    close_round(round_=round_, actor=senior, now=timezone.now())

    assert page.count("data-rating=") == 1
    assert sent.status_code == 303
    report = api_of(manager).get("/api/v1/projects/ti/report/").json()
    assert report["stages"][0]["style_mean"]["value"] == 2.5
    assert "domain_mean" not in report["stages"][0]
    assert verify(released(project)).problems == ()


def test_ratings_by_other_names_or_off_the_scale_are_refused(
    project: Project, member: Member, opened: Open, api_of: Api
) -> None:
    user = member(Role.REVIEWER)
    api_of(member(Role.MANAGER)).put(URL, {"criteria": THREE}, format="json")
    seat = take(opened(1), user)

    answer = by_api(api_of(user), seat, domain=5, fluency=0, cultural=4)

    assert answer.status_code == 400
    assert answer.json()["fields"] == {
        "ratings.fluency": ["Choose a rating from 1 to 7."],
        "ratings.style": ["Choose a rating from 0 to 3."],
        "ratings.cultural": ["This project rates: domain, fluency, style."],
    }


def test_criteria_change_only_in_words_once_a_text_was_rated(
    project: Project, member: Member, opened: Open, api_of: Api
) -> None:
    manager, user = member(Role.MANAGER), member(Role.REVIEWER)
    api = api_of(manager)
    round_ = opened(1, panel_size=1)
    busy = api.put(URL, {"criteria": THREE}, format="json")
    by_api(api_of(user), take(round_, user), domain=5, cultural=4)
    close_round(round_=round_, actor=None, now=timezone.now())

    used = api.put(URL, {"criteria": THREE}, format="json")
    words = [each.as_json() for each in DEFAULT_CRITERIA]
    words[0] |= {"label": "Terms", "short_label": "Terms", "rubric": ["Are the terms right?"]}
    renamed = api.put(URL, {"criteria": words}, format="json")

    assert (busy.status_code, busy.json()["code"]) == (409, "criteria_of_open_round")
    assert (used.status_code, used.json()["code"]) == (409, "criteria_in_use")
    assert renamed.status_code == 200
    project.refresh_from_db()
    assert [each.label for each in project.criteria] == ["Terms", "Cultural alignment"]
    latest = project.guidelines.order_by("-version").first()
    assert latest is not None
    assert (latest.version, latest.rubric["domain"]) == (2, ["Are the terms right?"])
    assert Round.objects.get().figures["domain_mean"]["value"] == 5


def test_round_closed_without_a_judgement_leaves_criteria_free(
    project: Project, member: Member, opened: Open, api_of: Api, browser_of: Browser
) -> None:
    manager = member(Role.MANAGER)
    close_round(round_=opened(1), actor=None, now=timezone.now())

    answer = api_of(manager).put(URL, {"criteria": THREE}, format="json")

    assert answer.status_code == 200
    assert browser_of(manager).get("/projects/ti/rounds/1/").status_code == 200
    assert "Fluency" in browser_of(manager).get("/projects/ti/rounds/guideline/").content.decode()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "Fluency"}, "name"),
        ({"name": "verdict"}, "name"),
        ({"name": "domain"}, "name"),
        ({"label": " "}, "label"),
        ({"lowest": 7}, "highest"),
        ({"highest": 10}, "highest"),
        ({"rubric": ["low", "high"]}, "rubric"),
    ],
)
def test_faulty_criterion_is_refused_by_field(
    project: Project, member: Member, browser_of: Browser, changes: dict[str, Any], field: str
) -> None:
    rows = [DEFAULT_CRITERIA[0].as_json(), FLUENCY | changes]

    page = browser_of(member(Role.MANAGER)).post(PAGE, typed(rows))

    assert page.status_code == 400
    assert list(page.context["form"].errors) == [f"{field}_2"]
    project.refresh_from_db()
    assert project.criteria == DEFAULT_CRITERIA


def test_project_is_opened_with_criteria_by_the_api(db: None, api_of: Api) -> None:
    body = {"slug": "own", "name": "Own", "source_language": "zh", "target_language": "bo"}
    staff = api_of(UserFactory(is_staff=True))

    made = staff.post("/api/v1/projects/", body | {"criteria": THREE}, format="json")
    faulty = [THREE[0] | {"highest": 0}]
    refused = staff.post(
        "/api/v1/projects/", body | {"slug": "other", "criteria": faulty}, format="json"
    )

    assert made.status_code == 201
    assert [each.as_json() for each in Project.objects.get().criteria] == THREE
    assert refused.json()["fields"]["criteria.0.highest"]


def test_gap_of_a_round_is_one_that_ratings_can_have(project: Project) -> None:
    with pytest.raises(RoundInvalid) as refused:
        open_round(
            project=project,
            settings=RoundSettings(score_gap=6, selection=Selection.ALL),
            actor=None,
            now=timezone.now(),
        )

    assert list(refused.value.fields) == ["score_gap"]


def test_form_of_no_words_keeps_the_criteria_of_a_new_project() -> None:
    form = CriteriaForm(
        typed([each.as_json() for each in DEFAULT_CRITERIA]), criteria=DEFAULT_CRITERIA
    )

    assert form.is_valid()
    assert form.rows() == [each.as_json() for each in DEFAULT_CRITERIA]


def test_form_reads_ratings_by_the_scale_of_its_own_project() -> None:
    short, long = (read_criteria(json.dumps([{**STYLE, "highest": highest}])) for highest in (3, 4))
    said = {"assignment": 1, "revision": 1, "idempotency_key": "k", "verdict": "approve"}
    said["style"] = 4

    refused, taken = JudgementForm(said, criteria=short), JudgementForm(said, criteria=long)

    assert refused.errors == {"style": ["Ensure this value is less than or equal to 3."]}
    assert taken.errors == {}
    assert "style" not in JudgementForm(said, criteria=DEFAULT_CRITERIA).fields


def test_names_that_columns_and_fields_have_are_reserved() -> None:
    taken = {*JudgementForm.base_fields, *ROW_NAMES, *_ABOUT, *_BEFORE, *_AFTER}

    assert {name for name in taken if name.isidentifier() and name[-1].isalpha()} <= RESERVED_NAMES
