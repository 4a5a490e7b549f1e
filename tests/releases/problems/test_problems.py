"""Problem reports: taken without an account, limited, decided, shown as errata until mended."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.checks.actions import check_again
from annotation.items.keys import correct_key
from annotation.models import Finding, Item, Revision
from common.reasons import ReasonMissing
from projects.enums import Role
from projects.models import Project
from releases.enums import PROBLEM_TRANSITIONS, ProblemState
from releases.models import ProblemReport, Release
from releases.problems.actions import (
    ItemNotReadable,
    Problem,
    ProblemDecided,
    ProblemInvalid,
    TooManyProblems,
    accept_problem,
    dismiss_problem,
    report_problem,
)
from releases.publishing.audience import show_to_everybody
from releases.readiness.report import readiness
from tests.factories import ProjectFactory, UserFactory
from tests.releases.builders import NOW, approve, build_published, built_once, fill

pytestmark = pytest.mark.django_db

HERE = "/releases/ti/0.1.0/"
FORM = {"item": "s0/1", "kind": "wrong_key", "text": "B is right."}


def published(project: Project, version: str = "0.1.0", **parameters: Any) -> Release:
    release = build_published(project, version, **parameters)
    Release.objects.filter(pk=release.pk).update(published_at=timezone.now())
    release.refresh_from_db()
    show_to_everybody(release=release, actor=None, now=NOW)
    return release


def make_release() -> Release:
    project = ProjectFactory(slug="ti", name="Ti")
    fill(project, subjects=1, tests=3, devs=1)
    return published(project)


built = built_once(make_release)


@pytest.fixture
def project(release: Release, db: None) -> Project:
    return release.project


def report(release: Release, address: str = "192.0.2.1", **fields: Any) -> ProblemReport:
    now = fields.pop("now", NOW)
    problem = Problem(**FORM | fields)
    return report_problem(release=release, problem=problem, address=address, now=now)


def finding_of(uid: str = "s0/1") -> Finding:
    return Finding.objects.get(code="reported", revision__translation__item__uid=uid)


def warnings(project: Project) -> dict[str, tuple[str, ...]]:
    return {each.code: each.items for each in readiness(project).warnings}


# Reporting


def test_report_marks_the_item_and_warns_before_the_next_release(release: Release) -> None:
    found = report(release, contact="a@example.org")
    finding = finding_of()
    assert (finding.severity, finding.data) == ("warning", {"reason": "reported_wrong_key"})
    assert Item.objects.get(uid="s0/1").has_open_warnings
    assert warnings(release.project)["problems_reported"] == ("s0/1",)
    event = AuditEvent.objects.get(verb="release.problem_reported")
    assert (event.actor, event.target) == (None, f"problem:{found.pk}")
    assert "192.0.2.1" not in str(ProblemReport.objects.values().get())


def test_reported_finding_stays_when_the_checks_run_again(release: Release) -> None:
    report(release)
    revisions = Revision.objects.select_related("translation__item__project").prefetch_related(
        "findings", "translation__item__key_changes"
    )
    check_again(revisions=revisions, project=release.project, now=NOW)
    assert finding_of().dismissed_at is None


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "spam"}, "kind"),
        ({"text": "  "}, "text"),
        ({"text": "x" * 2001}, "text"),
        ({"contact": "no address"}, "contact"),
    ],
)
def test_report_with_a_wrong_field_is_refused(
    release: Release, fields: dict[str, str], field: str
) -> None:
    with pytest.raises(ProblemInvalid) as refusal:
        report(release, **fields)
    assert list(refusal.value.fields) == [field]
    assert not ProblemReport.objects.exists()


def test_hidden_item_is_refused_like_one_that_is_not_there() -> None:
    project = ProjectFactory(slug="part", target_language="bo")
    fill(project, subjects=1, tests=8)
    release = published(project, black_box_share=0.5)
    hidden = release.items.filter(subset="black-box").first()
    words = set()
    for item in (hidden.public_id, hidden.uid, "nothing"):
        with pytest.raises(ItemNotReadable) as refusal:
            report(release, item=item)
        words.add(str(refusal.value))
    assert len(words) == 1
    assert not Finding.objects.filter(code="reported").exists()


# Limits


def test_sixth_report_from_one_network_waits_for_the_first_to_grow_old(release: Release) -> None:
    for minute in range(5):
        report(release, now=NOW + timedelta(minutes=minute))
    with pytest.raises(TooManyProblems) as refusal:
        report(release, now=NOW + timedelta(minutes=10))
    assert refusal.value.params == {"minutes": 50, "at": "13:00", "retry_after_seconds": 3000}
    report(release, "192.0.2.2", now=NOW + timedelta(minutes=10))
    report(release, now=NOW + timedelta(minutes=60, seconds=1))


def test_addresses_of_one_ipv6_network_share_a_limit(release: Release) -> None:
    for number in range(5):
        report(release, f"2001:db8::{number}")
    with pytest.raises(TooManyProblems):
        report(release, "2001:db8::ffff")


def test_project_has_a_limit_of_its_own(release: Release, settings: Any) -> None:
    settings.PROBLEMS_PER_PROJECT = 3
    for number in range(3):
        report(release, f"192.0.2.{number}")
    with pytest.raises(TooManyProblems):
        report(release, "192.0.2.9")


def test_reports_beyond_the_limit_are_answered_and_cost_no_writes(
    release: Release,
) -> None:
    client = Client()
    statuses = [client.post(f"{HERE}report/", FORM).status_code for _ in range(20)]
    assert statuses == [302] * 5 + [429] * 15
    with CaptureQueriesContext(connection) as found:
        refused = client.post(f"{HERE}report/", FORM)
    assert len(found) <= 3
    assert not [query for query in found if not query["sql"].startswith("SELECT")]
    assert int(refused["Retry-After"]) > 3000
    assert "You can send the next one in 60 minutes" in refused.content.decode()
    api = client.post(f"/api/v1{HERE}problems/", FORM, content_type="application/json")
    assert (api.status_code, api.json()["code"]) == (429, "too_many_problems")
    assert ProblemReport.objects.count() == 5
    assert client.get(HERE).status_code == 200


# The form


def test_form_takes_a_report_and_thanks(release: Release) -> None:
    shown = Client().get(f"{HERE}report/?item=s0/1").content.decode()
    assert 'value="s0/1"' in shown
    answer = Client().post(f"{HERE}report/", FORM)
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}report/sent/")
    assert ProblemReport.objects.get().text == "B is right."


def test_translation_is_no_choice_where_nothing_is_translated(release: Release) -> None:
    assert "the translation is wrong" in Client().get(f"{HERE}report/").content.decode()
    Project.objects.update(source_language=release.project.target_language)
    assert "the translation is wrong" not in Client().get(f"{HERE}report/").content.decode()
    answer = Client().post(f"{HERE}report/", {**FORM, "kind": "translation"})
    assert answer.status_code == 400


def test_form_that_a_program_fills_in_is_thrown_away(release: Release) -> None:
    answer = Client().post(f"{HERE}report/", {**FORM, "website": "http://example.org"})
    assert answer["Location"] == f"{HERE}report/sent/"
    assert not ProblemReport.objects.exists()


def test_form_needs_its_token(release: Release) -> None:
    assert Client(enforce_csrf_checks=True).post(f"{HERE}report/", FORM).status_code == 403


def test_form_keeps_what_was_typed_and_names_the_fault(release: Release) -> None:
    answer = Client().post(f"{HERE}report/", {**FORM, "item": "nothing"})
    shown = answer.content.decode()
    assert answer.status_code == 400
    assert "no open item with this id" in shown
    assert "B is right." in shown


def test_text_is_shown_as_text(release: Release, member: Any, browser_of: Any) -> None:
    report(release, text="<script>alert(1)</script>")
    page = browser_of(member(Role.SENIOR)).get("/projects/ti/releases/problems/")
    assert "&lt;script&gt;alert(1)" in page.content.decode()


def test_api_takes_a_report_without_a_token(release: Release) -> None:
    answer = Client().post(f"/api/v1{HERE}problems/", FORM, content_type="application/json")
    assert answer.status_code == 201
    assert answer.json().keys() == {"item", "kind", "reported_at"}


# Deciding


@pytest.fixture
def senior() -> User:
    return UserFactory()


def test_accepted_report_is_an_erratum_in_the_senior_s_words(
    release: Release, senior: User
) -> None:
    found = report(release)
    accept_problem(report=found, words="The key was C.", actor=senior, now=NOW)
    for address in (HERE, f"{HERE}items/s0/1/"):
        shown = Client().get(address).content.decode()
        assert "The key was C." in shown
        assert "not corrected yet" in shown
        assert "B is right." not in shown
    assert finding_of().dismissed_at is None


def test_erratum_names_the_version_that_mends_it(release: Release, senior: User) -> None:
    found = report(release)
    accept_problem(report=found, words="The key was wrong.", actor=senior, now=NOW)
    published(release.project, "0.2.0")
    assert "not corrected yet" in Client().get(HERE).content.decode()
    item = Item.objects.get(uid="s0/1")
    correct_key(item=item, key="A" if item.key != "A" else "B", reason="r", actor=senior, now=NOW)
    approve(Item.objects.get(uid="s0/1"))
    published(release.project, "1.0.0")
    assert "corrected in 1.0.0" in Client().get(HERE).content.decode()
    late = report(release, kind="other")
    accept_problem(report=late, words="As above.", actor=senior, now=NOW)
    late.refresh_from_db()
    assert late.mended_in is not None
    assert late.mended_in.version == "1.0.0"


def test_dismissing_the_last_report_of_an_item_dismisses_its_finding(
    release: Release, senior: User
) -> None:
    one, other = report(release), report(release, "192.0.2.2")
    dismiss_problem(report=one, reason="It is right.", actor=senior, now=NOW)
    assert finding_of().dismissed_at is None
    dismiss_problem(report=other, reason="It is right.", actor=senior, now=NOW)
    assert finding_of().dismissal_reason == "It is right."
    assert "problems_reported" not in warnings(release.project)
    report(release, "192.0.2.3", kind="broken")
    assert (finding_of().dismissed_at, finding_of().data) == (None, {"reason": "reported_broken"})


def test_erratum_that_was_none_is_taken_back(release: Release, senior: User) -> None:
    found = report(release)
    accept_problem(report=found, words="The key was C.", actor=senior, now=NOW)
    dismiss_problem(report=found, reason="It was right.", actor=senior, now=NOW)
    assert "The key was C." not in Client().get(HERE).content.decode()


@pytest.mark.parametrize("source", ProblemState.values)
@pytest.mark.parametrize("target", [ProblemState.ACCEPTED, ProblemState.DISMISSED])
def test_report_moves_as_the_table_says(
    release: Release, senior: User, source: str, target: str
) -> None:
    found = report(release)
    decided = {} if source == ProblemState.OPEN else {"decided_at": NOW, "decision": "x"}
    ProblemReport.objects.update(state=source, **decided)

    def decide() -> None:
        if target == ProblemState.ACCEPTED:
            accept_problem(report=found, words="w", actor=senior, now=NOW)
        else:
            dismiss_problem(report=found, reason="w", actor=senior, now=NOW)

    if target in PROBLEM_TRANSITIONS[source]:
        decide()
        assert ProblemReport.objects.get().state == target
    else:
        with pytest.raises(ProblemDecided):
            decide()


def test_decision_needs_words(release: Release, senior: User) -> None:
    with pytest.raises(ReasonMissing):
        accept_problem(report=report(release), words=" ", actor=senior, now=NOW)


def test_seniors_decide_on_the_page_and_through_the_api(
    release: Release, member: Any, browser_of: Any, api_of: Any
) -> None:
    first, second = report(release), report(release, item="s0/2")
    user = member(Role.SENIOR)
    page = f"/projects/ti/releases/problems/{first.pk}/"
    browser_of(user).post(page, {"decision": "accepted", "words": "Yes."})
    body = {"state": "dismissed", "words": "No."}
    api = api_of(user)
    told = api.post(f"/api/v1/projects/ti/problems/{second.pk}/decision/", body).json()
    assert (told["item"], told["state"], told["decision"]) == ("s0/2", "dismissed", "No.")
    states = [row["state"] for row in api.get("/api/v1/projects/ti/problems/").json()["results"]]
    assert sorted(states) == ["accepted", "dismissed"]
