"""The pages and the API of screening jobs."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.asking.actions import resume_asking
from annotation.models import Opinion, ScreeningJob
from annotation.screening.actions import (
    SCREENING,
    ScreeningComplete,
    ScreeningUnderway,
    ThresholdInvalid,
    choose_threshold,
)
from annotation.screening.queries import most_doubted, thresholds
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from jobs.models import Job
from projects.enums import Role
from projects.models import Project
from tests.annotation.screening.test_execution import FINE, MeteredProvider, start, work_off
from tests.annotation.translating.builders import NOW, make_items
from tests.factories import ModelSpecFactory, make_translated_item

pytestmark = pytest.mark.django_db
Member = Callable[..., User]


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    prices = {"prompt_price": Decimal(1000), "completion_price": Decimal(4000)}
    return ModelSpecFactory(project=project, name="m", **prices)


def doubt(started: ScreeningJob, **confidences: float) -> None:
    """Doubt the items with these numbers of a job that has one screen."""
    for number, opinion in enumerate(started.opinions.order_by("pk")):
        sure = confidences.get(f"n{number}")
        Opinion.objects.filter(pk=opinion.pk).update(
            state="fine" if sure is None else "doubt",
            confidence=0.9 if sure is None else sure,
            words=f"Reason {number}.",
        )


def test_start_page_shows_the_dry_run_before_it_starts_a_job(
    project: Project, spec: ModelSpec, manager: Client
) -> None:
    make_items(project, 3)
    url = reverse("annotation:start-screening", args=["ti"])
    values = {"model": spec.pk, "screens": ["unique", "context"], "limit": 2, "concurrency": 4}
    shown = manager.post(url, values)
    assert shown.status_code == 200
    assert (shown.context["estimate"].items, shown.context["estimate"].calls) == (2, 4)
    assert not ScreeningJob.objects.exists()

    manager.post(url, {**values, "confirm": "yes"})
    started = ScreeningJob.objects.get()
    assert (started.selection, started.opinions.count()) == ({"limit": 2}, 4)

    refused = manager.post(url, {**values, "confirm": "yes"})
    assert refused.status_code == 409  # the model is at work already
    assert manager.post(url, {**values, "screens": []}).status_code == 400


def test_estimate_is_measured_on_the_last_calls_of_the_same_screens(
    project: Project, spec: ModelSpec, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    make_items(project, 3)
    work_off(start(project, "context", spec=spec), MeteredProvider(lambda _request: FINE))
    api = api_of(member(Role.MANAGER))
    url = "/api/v1/projects/ti/screenings/"
    values = {"model": "m", "screens": ["context"], "limit": 2, "dry_run": True}
    found = api.post(url, values, format="json")
    assert found.json() == {
        "items": 2, "hidden_left_out": 0, "calls": 2, "tokens": {"prompt": 200, "completion": 200},
        "price": "1.0000", "seconds": None, "measured_on": 3,
    }  # fmt: skip
    both = api.post(url, {**values, "screens": ["context", "grammar"]}, format="json")
    assert (both.json()["calls"], both.json()["tokens"]) == (4, None)


def test_opinions_are_listed_the_surest_first_and_filtered(
    project: Project, manager: Client
) -> None:
    make_items(project, 4)
    started = start(project, "context")
    doubt(started, n0=0.3, n2=0.8, n3=0.5)
    url = reverse("annotation:opinions", args=["ti", started.pk])

    def shown(**query: object) -> list[str]:
        answer = manager.get(url, query)
        assert answer.status_code == 200
        return [row.words for row in answer.context["rows"]]

    assert shown() == ["Reason 2.", "Reason 3.", "Reason 0."]
    assert shown(confidence="0.5") == ["Reason 2.", "Reason 3."]
    assert shown(screen="grammar") == []
    assert shown(state="fine") == ["Reason 1."]
    assert manager.get(url, {"confidence": "much"}).status_code == 400
    choose_threshold(project=project, screen="context", confidence=0.5, actor=None, now=NOW)
    below = [row.is_below for row in manager.get(url).context["rows"]]
    assert below == [False, False, True]


def test_job_page_counts_opinions_by_screen_and_tells_the_calls(
    project: Project, manager: Client
) -> None:
    make_items(project, 2)
    started = start(project, "context", "grammar")
    work_off(started, lambda _request: FINE)
    page = manager.get(reverse("annotation:screening", args=["ti", started.pk]))
    assert [(label, each.fine, each.doubt) for label, each in page.context["counts"]] == [
        ("context missing", 2, 0),
        ("given away by grammar", 2, 0),
    ]
    assert page.context["totals"].calls == 4
    assert manager.get(reverse("annotation:screenings", args=["ti"])).status_code == 200


def test_job_that_its_budget_ended_goes_on_with_a_higher_one(
    project: Project, spec: ModelSpec, manager: Client
) -> None:
    make_items(project, 6)
    started = start(project, "context", spec=spec, budget=Decimal(2))
    provider = MeteredProvider(lambda _request: FINE)
    first = work_off(started, provider)
    assert first.result["open"] == 2
    url = reverse("annotation:resume-screening", args=["ti", started.pk])

    assert manager.post(url, {"budget": "much"}).status_code == 400
    assert manager.post(url, {"budget": "5"}).status_code == 302
    started.refresh_from_db()
    assert started.job_id != first.pk
    assert work_off(started, provider).result["fine"] == 6
    with pytest.raises(ScreeningComplete):
        resume_asking(SCREENING, started, actor=None, now=NOW)


def test_one_model_screens_a_project_in_one_job_at_once(project: Project, spec: ModelSpec) -> None:
    make_items(project, 1)
    first = start(project, "context", spec=spec)
    with pytest.raises(ScreeningUnderway):
        start(project, "grammar", spec=spec)
    start(project, "grammar", spec=ModelSpecFactory(project=project, name="other"))
    work_off(first, lambda _request: FINE)
    start(project, "grammar", spec=spec)


def test_doubts_below_the_threshold_of_their_screen_do_not_count(project: Project) -> None:
    items = [make_translated_item(project=project) for _number in range(3)]
    doubt(start(project, "context"), n0=0.3, n1=0.7)
    uids = [item.uid for item in items]
    assert most_doubted(project, 10) == [uids[1], uids[0]]

    choose_threshold(project=project, screen="context", confidence=0.5, actor=None, now=NOW)
    choose_threshold(project=project, screen="context", confidence=0.5, actor=None, now=NOW)
    assert most_doubted(project, 10) == [uids[1]]
    events = AuditEvent.objects.filter(verb="screening.threshold_chosen")
    assert [event.data for event in events] == [{"screen": "context", "confidence": 0.5}]

    choose_threshold(project=project, screen="context", confidence=None, actor=None, now=NOW)
    assert (thresholds(project), most_doubted(project, 1)) == ({}, [uids[1]])
    for screen, confidence in (("x", 0.5), ("context", 1.5)):
        with pytest.raises(ThresholdInvalid):
            choose_threshold(
                project=project, screen=screen, confidence=confidence, actor=None, now=NOW
            )


def test_doubt_counts_until_the_same_model_thinks_otherwise(project: Project) -> None:
    items = [make_translated_item(project=project) for _number in range(2)]
    first, second = ModelSpecFactory(project=project), ModelSpecFactory(project=project)
    doubt(start(project, "context", spec=first), n0=0.9, n1=0.8)
    Job.objects.update(state="done")
    again = start(project, "context", spec=first)
    assert most_doubted(project, 10) == [items[0].uid, items[1].uid]  # not asked yet

    again.opinions.update(state="fine", confidence=0.9, words=".")
    assert most_doubted(project, 10) == []

    doubt(start(project, "context", spec=second), n1=0.4)  # another model disagrees
    assert most_doubted(project, 10) == [items[1].uid]


def test_api_starts_lists_cancels_and_resumes(
    project: Project, spec: ModelSpec, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    items = make_items(project, 2)
    api = api_of(member(Role.MANAGER))
    url = "/api/v1/projects/ti/screenings/"
    started = api.post(url, {"model": "m", "screens": ["context"]}, format="json")
    assert started.status_code == 202
    one = f"{url}{started.json()['screening']}/"
    counts = {"open": 2, "doubt": 0, "fine": 0, "failed": 0}
    assert api.get(one).json()["results"]["screens"] == {"context": counts}
    assert api.post(f"{one}cancel/").status_code == 202
    assert api.post(f"{one}resume/", {"budget": "2.5"}, format="json").status_code == 202
    assert api.get(url).json()["results"][0]["budget"] == "2.5000"

    doubt(ScreeningJob.objects.get(), n1=0.8)
    told = api.get(f"{one}opinions/", {"confidence": "0.5"}).json()["results"]
    assert [(row["item"], row["confidence"], row["reason"]) for row in told] == [
        (items[1].uid, 0.8, "Reason 1.")
    ]
    assert api.get(f"{one}opinions/", {"state": "open"}).status_code == 400


def test_reviewers_see_no_opinion(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    make_items(project, 1)
    started = start(project, "context")
    api = api_of(member(Role.REVIEWER))
    url = f"/api/v1/projects/ti/screenings/{started.pk}/opinions/"
    assert api.get(url).status_code == 403


def test_prompt_of_a_screen_is_previewed_and_revised_once_and_asked_by_the_next_job(
    project: Project, manager: Client
) -> None:
    item = make_translated_item(project=project)
    url = reverse("annotation:screening-prompt", args=["ti", "context"])
    assert item.working_translation.current_revision.question in manager.get(url).content.decode()
    values = {"revision": 1, "frame": "Is {{all}} there? {item}"}

    assert manager.post(url, {**values, "frame": "Is all there?"}).status_code == 400
    assert manager.post(url, {**values, "frame": "{item} {key}"}).status_code == 400
    assert manager.post(url, values).status_code == 302
    assert manager.post(url, values).status_code == 409  # it was revised meanwhile
    asked: list[str] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request.messages[0].content)
        return FINE

    work_off(start(project, "context"), reply)
    assert asked[0].startswith("Is {all} there? The item: ")
    wrong = reverse("annotation:screening-prompt", args=["ti", "nonsense"])
    assert manager.get(wrong).status_code == 404


def test_api_revises_the_prompt_of_a_screen(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.MANAGER))
    url = "/api/v1/projects/ti/screenings/prompts/grammar/"
    assert api.get(url).json()["revision"] == 1
    revised = api.put(url, {"revision": 1, "frame": "Look: {item}"}, format="json")
    assert (revised.status_code, revised.json()["revision"]) == (201, 2)
    assert api.get(url).json() == {"revision": 2, "frame": "Look: {item}"}
