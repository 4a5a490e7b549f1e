"""A judge model compares answers with references: asked once, stored raw, read strictly, scored."""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.enums import ItemKind
from annotation.models import Revision
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest
from endpoints.providers.recorded import NullProvider
from evaluation.audits.actions import store_reading
from evaluation.comparisons.selectors import comparison_of
from evaluation.judging.actions import (
    JudgedByAnother,
    JudgingInvalid,
    JudgingSettings,
    NothingToJudge,
    start_judging,
)
from evaluation.judging.estimates import estimate_judging
from evaluation.judging.execution import perform_judging
from evaluation.judging.queries import judging_figures, judging_of
from evaluation.judging.rubric import RUBRIC
from evaluation.models import AnswerJudging, JudgeCall, Run, Score
from evaluation.results.actions import further_methods, unscored
from evaluation.results.json_values import results_json
from evaluation.results.queries.figures import run_results
from evaluation.runs.actions import RunInvalid
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from releases.models import Release
from tests.evaluation.audits.builders import drawn, sample
from tests.evaluation.builders import NOW, QUICK, make_run, serving, work_off
from tests.factories import (
    EndpointFactory,
    ModelSpecFactory,
    ReleaseFactory,
    SourceFactory,
    SubjectFactory,
    UserFactory,
    make_release_item,
    make_translated_item,
)

pytestmark = pytest.mark.django_db
ANSWERS = {"lhasa": "It is ལྷ་ས་, of course.", "river": "Yangtze", "peak": "I do not know."}
VERDICTS = {"lhasa": "CORRECT", "river": "INCORRECT", "peak": "NOT_ATTEMPTED"}


@pytest.fixture
def release(project: Project) -> Release:
    """Three open-ended items with a reference and one without."""
    made = ReleaseFactory(project=project)
    source, subject = SourceFactory(project=project), SubjectFactory(project=project)
    for number, name in enumerate([*ANSWERS, "essay"]):
        item = make_translated_item(
            project=project, source=source, subject=subject, uid=name, kind=ItemKind.OPEN,
            question=f"འདྲི་བ་ {name}", options=[], key="",
        )  # fmt: skip
        reference = "" if name == "essay" else f"ལན་ {name}"
        Revision.objects.filter(translation__item=item).update(answer=reference)
        make_release_item(made, item, kind=ItemKind.OPEN, position=number)
    return made


def named(text: str) -> str:
    return next((name for name in ANSWERS if name in text), "")


def answered(project: Project, release: Release, *methods: str, **settings: Any) -> Run:
    run = make_run(project, release, methods=methods, **settings)
    work_off(run, lambda request: ANSWERS.get(named(request.messages[-1].content), "Long ago"))
    return run


def says(request: ChatRequest) -> str:
    return f"As I see it: [[{VERDICTS[named(request.messages[0].content)]}]]"


class Paid(NullProvider):
    """Each reply costs a dollar."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(self.reply(request), prompt_tokens=100_000, completion_tokens=0)


def begin(run: Run, judge: ModelSpec | None = None, **settings: Any) -> AnswerJudging:
    return start_judging(
        run=run, judge=judge or ModelSpecFactory(project=run.release.project, model="judge"),
        settings=JudgingSettings(**settings), actor=None, now=NOW,
    )  # fmt: skip


def judge_all(
    judging: AnswerJudging, reply: Callable[[ChatRequest], str] | NullProvider = says
) -> Job:
    provider = reply if isinstance(reply, NullProvider) else NullProvider(reply)
    work = partial(perform_judging, connect=lambda spec: provider, limits=QUICK)
    judging.refresh_from_db()
    return run_now(judging.job, work)


def verdicts_of(run: Run) -> dict[str, tuple[bool, bool, str]]:
    rows = Score.objects.filter(run=run, method="judge").values_list(
        "response__release_item__uid", "is_valid", "is_correct", "error_kind"
    )
    return {uid: (is_valid, is_correct, kind) for uid, is_valid, is_correct, kind in rows}


def test_judge_scores_answers_to_items_with_a_reference(project: Project, release: Release) -> None:
    run = answered(project, release)
    seen: list[str] = []

    def reply(request: ChatRequest) -> str:
        seen.append(request.messages[0].content)
        return says(request)

    assert judge_all(begin(run), reply).state == JobState.DONE

    assert verdicts_of(run) == {
        "lhasa": (True, True, ""),
        "river": (True, False, "knowledge_error"),
        "peak": (False, False, "no_answer"),
    }
    run.refresh_from_db()
    found = results_json(run_results(run))["methods"]["judge"]["overall"]["item_weighted"]
    assert found["accuracy"] == pytest.approx(1 / 3)
    assert found["response_rate"] == pytest.approx(2 / 3)
    assert (run.headline_method, run.headline_right, run.headline_read) == ("judge", 1, 3)
    assert len(seen) == 3
    told = next(text for text in seen if "འདྲི་བ་ lhasa" in text)
    assert "ལན་ lhasa" in told
    assert ANSWERS["lhasa"] in told


def test_judging_again_asks_only_what_has_no_verdict(project: Project, release: Release) -> None:
    run = answered(project, release)
    judge = ModelSpecFactory(project=project, model="judge")
    calls: list[str] = []

    def reply(request: ChatRequest) -> str:
        calls.append(named(request.messages[0].content))
        return says(request) if calls[-1] != "river" else "[[CORRECT]] or [[INCORRECT]]?"

    job = judge_all(begin(run, judge), reply)
    assert job.result == {"run": run.pk, "judged": 2, "unjudged": 1, "is_budget_spent": False}
    assert sorted(calls) == ["lhasa", "peak", "river", "river"]
    judging = judging_of(run)
    assert judging is not None
    figures = judging_figures(judging)
    assert (figures.answers, figures.judged, figures.calls, figures.unreadable) == (3, 2, 4, 2)

    judge_all(begin(run, judge), reply)
    assert len(calls) == 4


def test_two_judges_of_the_same_answers_are_compared_by_a_second_run(
    project: Project, release: Release
) -> None:
    spec = ModelSpecFactory(project=project)
    asked: list[ChatRequest] = []

    def answer(request: ChatRequest) -> str:
        asked.append(request)
        return ANSWERS.get(named(request.messages[-1].content), "Long ago")

    runs = []
    for _time in range(2):
        runs.append(make_run(project, release, spec=spec, methods=()))
        work_off(runs[-1], NullProvider(answer, spec.endpoint.base_url))
    assert len(asked) == 4
    judge_all(begin(runs[0]))
    mild = ModelSpecFactory(project=project, model="mild")
    judge_all(begin(runs[1], mild), lambda _request: "[[CORRECT]]")

    found = comparison_of(runs)
    assert found.method == "judge"
    assert found.correct.sum(axis=1).tolist() == [1, 3]
    assert JudgeCall.objects.count() == 6


def test_equal_answers_are_judged_once_also_in_another_run(
    project: Project, release: Release
) -> None:
    judge = ModelSpecFactory(project=project, model="judge")
    run = answered(project, release, epochs=3)
    judge_all(begin(run, judge))
    assert Score.objects.filter(run=run, method="judge").count() == 9
    assert JudgeCall.objects.count() == 3

    other = answered(project, release, "exact")
    judge_all(begin(other, judge), lambda request: pytest.fail("asked again"))
    assert verdicts_of(other) == verdicts_of(run)
    differences = run_results(other).differences
    assert [(each.method, each.answers, each.right) for each in differences] == [("judge", 1, 1)]


def test_answer_without_text_is_not_sent_and_attempts_nothing(
    project: Project, release: Release
) -> None:
    run = make_run(project, release, methods=())
    work_off(run, lambda request: "<think>It is Lhasa.</think>")
    judge_all(begin(run), lambda request: pytest.fail("asked"))
    assert set(verdicts_of(run).values()) == {(False, False, "no_answer")}


def test_failed_calls_are_asked_when_the_job_goes_on(project: Project, release: Release) -> None:
    run = answered(project, release)
    judge = ModelSpecFactory(project=project, model="judge")
    judging = begin(run, judge)
    Job.objects.filter(pk=judging.job_id).update(state=JobState.FAILED)
    again = begin(run, judge, budget=None)
    assert again.pk == judging.pk
    assert judge_all(again).state == JobState.DONE
    assert len(verdicts_of(run)) == 3


def test_estimate_counts_what_has_no_reply_yet(
    project: Project, release: Release, member: Callable[..., User], client: Client
) -> None:
    judge = ModelSpecFactory(
        project=project, model="judge", prompt_price=Decimal(10), completion_price=Decimal(10),
        parameters={"max_tokens": 100},
    )  # fmt: skip
    run = answered(project, release, epochs=2)
    found = estimate_judging(run=run, judge=judge, settings=JudgingSettings())
    assert (found.answers, found.calls, found.completion_tokens) == (6, 3, 300)
    size = sum(len(each.encode()) for each in ANSWERS.values()) + 3 * len(RUBRIC.encode())
    assert size / 3 < found.prompt_tokens < size / 3 + 100
    assert found.price == (found.prompt_tokens + 300) * Decimal(10) / 1_000_000

    client.force_login(member(Role.MANAGER))
    url = reverse("api:answer-judging-estimate", args=[run.pk])
    body = client.post(url, {"judge": judge.name}, content_type="application/json").json()
    assert (body["calls"], Decimal(body["price"])) == (3, found.price)
    url = reverse("evaluation:judging", args=[project.slug, run.pk])
    posted = {"judge": judge.pk, "rubric": RUBRIC, "concurrency": 2, "estimate": "yes"}
    page = client.post(url, posted).content.decode()
    assert f"{found.prompt_tokens:,}" in page
    assert judging_of(run) is None

    judge_all(begin(run, judge))
    found = estimate_judging(run=run, judge=judge, settings=JudgingSettings())
    assert (found.answers, found.calls, found.price) == (0, 0, 0)


def test_page_of_a_response_shows_what_the_judge_said(
    project: Project, release: Release, member: Callable[..., User], client: Client
) -> None:
    run = answered(project, release)
    judge_all(begin(run))
    client.force_login(member(Role.MANAGER))
    said = run.responses.get(release_item__uid="river")
    page = client.get(reverse("evaluation:response", args=[project.slug, run.pk, said.pk]))
    assert "As I see it: [[INCORRECT]]" in page.content.decode()


def test_judging_ends_when_its_budget_is_spent_and_goes_on_with_another(
    project: Project, release: Release
) -> None:
    judge = ModelSpecFactory(
        project=project, model="judge", prompt_price=Decimal(10), completion_price=Decimal(10)
    )
    run = answered(project, release)

    job = judge_all(begin(run, judge, budget=Decimal(1), concurrency=1), Paid(says))
    assert (job.result["judged"], job.result["is_budget_spent"]) == (1, True)
    job = judge_all(begin(run, judge, budget=Decimal(9)), Paid(says))
    assert (job.result["judged"], job.result["is_budget_spent"]) == (3, False)


def test_judge_that_tells_no_tokens_goes_on_without_a_budget(
    project: Project, release: Release, member: Callable[..., User], client: Client
) -> None:
    judge = ModelSpecFactory(
        project=project, model="judge", prompt_price=Decimal(10), completion_price=Decimal(10)
    )
    run = answered(project, release)
    job = judge_all(begin(run, judge, budget=Decimal(9), concurrency=1))
    assert (job.state, job.error_code) == (JobState.FAILED, "budget_unmeasured")

    client.force_login(member(Role.MANAGER))
    page = client.get(reverse("evaluation:judging", args=[project.slug, run.pk]))
    assert page.context["form"].initial["budget"] is None
    assert reverse("jobs:resume-job", args=[job.pk]) not in page.content.decode()
    with pytest.raises(JudgingInvalid) as refused:
        begin(run, judge, budget=Decimal(9))
    assert refused.value.fields["budget"] == [
        "Leave this empty: the endpoint did not say how many tokens 1 answer took."
    ]

    assert judge_all(begin(run, judge)).result["judged"] == 3


def test_refusals_say_what_to_do(project: Project, release: Release) -> None:
    run = make_run(project, release, methods=())
    with pytest.raises(NothingToJudge):
        begin(run)
    work_off(run, lambda request: "Lhasa")
    with pytest.raises(JudgingInvalid) as refused:
        begin(run, run.model_spec, rubric="{question} {reference}", concurrency=0)
    assert set(refused.value.fields) == {"judge", "rubric", "concurrency"}
    with pytest.raises(JudgingInvalid):
        begin(run, budget=Decimal(1))  # a judge without prices
    judge_all(begin(run))
    with pytest.raises(JudgedByAnother):
        begin(run, ModelSpecFactory(project=project, name="other", model="other"))


def test_judge_is_asked_not_chosen_as_a_method_of_a_run(project: Project, release: Release) -> None:
    with pytest.raises(RunInvalid):
        make_run(project, release, methods=("judge",))
    run = answered(project, release)
    begin(run)
    run.refresh_from_db()
    assert run.methods == ["judge"]
    assert not unscored(run).exists()
    assert further_methods(run) == ["exact"]


def test_agreement_with_people_stands_beside_the_score(
    project: Project, release: Release, member: Callable[..., User], client: Client
) -> None:
    run = answered(project, release, "exact")
    judge_all(begin(run))
    run.refresh_from_db()
    people = {"lhasa": "right", "river": "right", "peak": "wrong"}
    for audited in sample(drawn(run)):
        for person in (UserFactory(), UserFactory()):
            answer = people[audited.response.release_item.uid]
            store_reading(audited=audited, answer=answer, actor=person, now=NOW)

    client.force_login(member(Role.MANAGER))
    for name in ("evaluation:run", "evaluation:judging"):
        page = client.get(reverse(name, args=[project.slug, run.pk])).content.decode()
        assert "66.7" in page, name


def test_page_api_and_command_judge_by_the_stand_in(
    project: Project, release: Release, member: Callable[..., User], client: Client
) -> None:
    run = answered(project, release)
    client.force_login(member(Role.MANAGER))
    with serving() as server:
        endpoint = EndpointFactory(project=project, base_url=server.base_url)
        judge = ModelSpecFactory(project=project, endpoint=endpoint, model="stand-in-judge")
        url = reverse("evaluation:judging", args=[project.slug, run.pk])
        posted = {"judge": judge.pk, "rubric": RUBRIC.replace("\n", "\r\n"), "concurrency": 2}
        assert client.post(url, posted).status_code == 302
        run_now(AnswerJudging.objects.get(run=run).job)
        out = StringIO()
        call_command("judge_run", str(run.pk), "--judge", judge.name, "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert (said["judged"], said["answers"], said["unreadable"]) == (3, 3, 0)
    body = client.get(reverse("api:answer-judging", args=[run.pk])).json()
    assert (body["judge"], body["judged"], body["calls"]) == (judge.name, 3, 3)
    again = client.post(
        reverse("api:answer-judging", args=[run.pk]), {"judge": judge.name},
        content_type="application/json",
    )  # fmt: skip
    assert again.status_code == 202
