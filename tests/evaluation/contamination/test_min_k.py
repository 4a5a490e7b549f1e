"""The Min-k % test of a run: items beside controls, asked once, refused in words, read everywhere."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from common.figure_tables import as_json
from endpoints.providers.base import ChatReply, ChatRequest, EndpointRefused
from endpoints.providers.recorded import NullProvider
from endpoints.specs.actions import (
    ModelRetired,
    SpecValues,
    retire_model,
    return_model,
    revise_model,
)
from evaluation.contamination.actions import (
    ControlsMissing,
    MinKInvalid,
    MinKSettings,
    MinKUnderway,
    start_min_k,
)
from evaluation.contamination.execution import perform_min_k
from evaluation.contamination.queries import FEWEST_OF_SUBJECT, min_k_figures, text_hash
from evaluation.contamination.tables import subjects_table
from evaluation.models import MinKCall, MinKTest, MinKText, Run
from evaluation.runs.hidden_items import HiddenItemsKept
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from releases.enums import Subset
from releases.models import Release
from scoring.scorers.likelihood import Continuation, write_likelihoods
from tests.evaluation.builders import NOW, QUICK, make_release, make_run, serving
from tests.factories import (
    EndpointFactory,
    MembershipFactory,
    ModelSpecFactory,
    ProjectFactory,
    make_release_item,
)

pytestmark = pytest.mark.django_db
ITEM = "འདྲི་བ་ history/test-0 ག་རེ་རེད།\nལན་ 0 ཀ\nལན་ 0 ཁ\nལན་ 0 ག\nལན་ 0 ང"
CONTROLS = [f"ཚིག་གྲུབ་ {number} " + "ཀ" * 55 for number in range(5)]


class Echo(NullProvider):
    """Says how probable each token is: items of the release more than anything else."""

    def __init__(self, tokens: int | None = 100_000) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.tokens = tokens

    async def complete(self, request: ChatRequest) -> ChatReply:
        if request.messages:  # whether it can say that at all
            return ChatReply(write_likelihoods([Continuation((-1.0,), 1)] * 2))
        (text,) = request.continuations
        self.asked.append(text)
        base = -1.0 if "history" in text or "physics" in text else -3.0
        logprobs = tuple(base - number / 10 for number in range(20))
        said = write_likelihoods([Continuation(logprobs, len(text))])
        return ChatReply(said, prompt_tokens=self.tokens, completion_tokens=0)


class Endless(Echo):
    """Gives logarithms that are numbers, but no probabilities of this world."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        reply = await super().complete(request)
        said = write_likelihoods([Continuation((-1.7e308,) * 90, 1)])
        return reply if request.messages else replace(reply, text=said)


class Silent(NullProvider):
    async def complete(self, request: ChatRequest) -> ChatReply:
        raise EndpointRefused("400")


@pytest.fixture
def release(project: Project) -> Release:
    return make_release(project, tests=2)


@pytest.fixture
def run(project: Project, release: Release) -> Run:
    return make_run(project, release)


def begin(run: Run, *texts: str, control: Release | None = None, **settings: Any) -> MinKTest:
    return start_min_k(
        run=run, control=control, texts=texts or CONTROLS, settings=MinKSettings(**settings),
        actor=None, now=NOW,
    )  # fmt: skip


def ask(test: MinKTest, provider: NullProvider) -> Job:
    test.refresh_from_db()
    work = partial(perform_min_k, connect=lambda endpoint: provider, limits=QUICK)
    return run_now(test.job, work)


def test_items_that_a_model_knows_stand_above_their_controls(run: Run) -> None:
    echo, test = Echo(), begin(run)

    job = ask(test, echo)

    assert job.result == {"run": run.pk, "answered": 8, "missing": 0, "is_budget_spent": False}
    assert ITEM in echo.asked
    figures = min_k_figures(test)
    assert (figures.texts, figures.answered, figures.unreadable, figures.calls) == (8, 8, 0, 8)
    found = figures.comparisons[20]
    assert (found.pairs, found.items, found.controls) == (4, pytest.approx(-2.75), -4.75)
    assert (found.difference, found.auroc) == (2.0, 1.0)
    assert figures.comparisons[5].items == pytest.approx(-2.9)


def test_text_is_asked_once_also_by_the_test_of_another_run(
    project: Project, release: Release, run: Run
) -> None:
    ask(begin(run), Echo())
    other = begin(make_run(project, release, spec=run.model_spec, shots=0, epochs=2))
    again = Echo()

    assert ask(other, again).result["answered"] == 8
    assert again.asked == []
    assert min_k_figures(other).calls == 0

    ask(begin(run, *CONTROLS[1:], ITEM, "too short"), again)
    assert again.asked == [CONTROLS[4]]
    assert MinKText.objects.filter(test=run.min_k).count() == 8


def test_controls_are_items_of_another_release_of_the_language(
    run: Run, project: Project, release: Release
) -> None:
    control = make_release(project, subjects={"poetry": ""}, tests=3, version="9.0.0")
    make_release_item(control, release.items.get(uid="history/test-0").item, position=9)

    test = begin(run, "not", control=control)

    assert (test.texts.filter(is_control=True).count(), test.unmatched_count) == (3, 1)
    assert not test.texts.filter(is_control=True, placed__uid__startswith="history").exists()
    assert {text_hash(run.model_spec, ITEM)} < set(
        test.texts.values_list("request_hash", flat=True)
    )


def test_refusals_say_what_to_do(run: Run, project: Project, release: Release) -> None:
    foreign = make_release(ProjectFactory(target_language="lo"), tests=1)
    for control, settings, fields in (
        (release, {}, {"control"}),
        (
            foreign,
            {"most": 0, "seed": -1, "concurrency": 0},
            {"control", "most", "seed", "concurrency"},
        ),
        (None, {"budget": Decimal(1)}, {"budget"}),
    ):
        with pytest.raises(MinKInvalid) as refused:
            begin(run, control=control, **settings)
        assert set(refused.value.fields) == fields
    with pytest.raises(ControlsMissing, match="Only 1 of 4 items"):
        begin(run, CONTROLS[0], ITEM)
    later = revise_model(
        spec=run.model_spec,
        values=SpecValues(run.model_spec.endpoint.name, "m2"),
        actor=None,
        now=NOW,
    )
    retire_model(spec=later, actor=None, now=NOW)
    with pytest.raises(ModelRetired):
        begin(run)
    return_model(spec=later, actor=None, now=NOW)
    begin(run)
    with pytest.raises(MinKUnderway):
        begin(run)
    Project.objects.update(guards_hidden_items=True)
    release.items.update(subset=Subset.BLACK_BOX)
    release.project.refresh_from_db()
    with pytest.raises(HiddenItemsKept):
        begin(run)


def test_answers_beyond_all_sums_are_kept_but_say_nothing(run: Run) -> None:
    test = begin(run)
    assert ask(test, Endless()).result["answered"] == 8
    assert (min_k_figures(test).unreadable, min_k_figures(test).comparisons) == (8, {})


def test_controls_of_a_file_are_stored_without_what_no_database_holds(run: Run) -> None:
    test = begin(run, *(f"{text}\0\ud800" for text in CONTROLS))
    assert set(test.texts.filter(placed=None).values_list("text", flat=True)) <= {*CONTROLS}


def test_endpoint_without_prompt_probabilities_is_told_before_a_text_is_asked(run: Run) -> None:
    job = ask(begin(run), Silent())

    assert (job.state, job.error_code) == (JobState.FAILED, "probabilities_missing")
    assert "vLLM" in job.error
    assert not MinKCall.objects.exists()


def test_test_ends_when_its_budget_is_spent_and_goes_on_with_another(
    project: Project, release: Release
) -> None:
    spec = ModelSpecFactory(project=project, prompt_price=Decimal(10), completion_price=Decimal(10))
    run, echo = make_run(project, release, spec=spec), Echo()

    job = ask(begin(run, budget=Decimal(3), concurrency=1), echo)
    assert (job.result["answered"], job.result["is_budget_spent"]) == (3, True)
    job = ask(begin(run, budget=Decimal(9)), echo)
    assert (job.result["answered"], len(echo.asked)) == (8, 8)


def test_test_that_is_told_no_tokens_goes_on_without_a_budget(
    project: Project, release: Release, member: Callable[..., User], client: Client
) -> None:
    spec = ModelSpecFactory(project=project, prompt_price=Decimal(10), completion_price=Decimal(10))
    run, echo = make_run(project, release, spec=spec), Echo(None)
    job = ask(begin(run, budget=Decimal(9), concurrency=1), echo)
    assert (job.state, job.error_code) == (JobState.FAILED, "budget_unmeasured")

    client.force_login(member(Role.MANAGER))
    page = client.get(reverse("evaluation:min-k", args=[project.slug, run.pk]))
    assert page.context["form"].initial["budget"] is None
    assert reverse("jobs:resume-job", args=[job.pk]) not in page.content.decode()
    with pytest.raises(MinKInvalid) as refused:
        begin(run, budget=Decimal(9))
    assert list(refused.value.fields) == ["budget"]

    assert ask(begin(run), echo).result["answered"] == 8


def test_page_api_and_command_tell_the_same_of_the_stand_in(
    project: Project,
    release: Release,
    member: Callable[..., User],
    client: Client,
    tmp_path: Path,
) -> None:
    client.force_login(member(Role.MANAGER))
    reference, output = tmp_path / "texts.txt", tmp_path / "out.csv"
    reference.write_text("\n".join(CONTROLS), "utf-8")
    with serving() as server:
        endpoint = EndpointFactory(project=project, base_url=server.base_url)
        spec = ModelSpecFactory(project=project, endpoint=endpoint, model="stand-in-strong")
        run = make_run(project, release, spec=spec)
        url = reverse("evaluation:min-k", args=[project.slug, run.pk])
        posted = {
            "texts": "\r\n".join(CONTROLS),
            "side": "target",
            "most": 9,
            "seed": 3,
            "concurrency": 2,
        }
        assert client.post(url, posted | {"texts": "none"}).status_code == 409
        assert client.post(url, posted).status_code == 302
        run_now(MinKTest.objects.get(run=run).job)
        shown = client.get(url).content.decode()
        assert all(text in shown for text in CONTROLS[:4])  # to go on with
        out = StringIO()
        words = ("--reference", str(reference), "--output", str(output), "--json")
        call_command("min_k", str(run.pk), *words, stdout=out)
    said = json.loads(out.getvalue())
    body = client.get(reverse("api:min-k", args=[run.pk])).json()
    assert (body["texts"], body["answered"], body["calls"]) == (8, 8, 8)
    assert body["table"]["rows"] == said["rows"]
    rows = list(csv.DictReader(StringIO(output.read_text("utf-8"))))
    tables = ["min-k"] * 3 + ["min-k-subjects"] * 2 + ["min-k-texts"] * 8
    assert [row["table"] for row in rows] == tables
    assert body["subjects"] == said["subjects"]
    assert {row["uid"] for row in rows[5:]} > set(release.items.values_list("uid", flat=True))
    file = reverse("evaluation:min-k-file", args=[project.slug, run.pk, "csv"])
    export = client.get(reverse("api:min-k-export", args=[run.pk])).getvalue()
    assert client.get(file).content == export == output.read_bytes()
    assert f"{said['rows'][0]['items']:.2f}".lstrip("-") in client.get(url).content.decode()


def test_release_of_a_project_that_one_does_not_manage_is_no_control(
    run: Run, project: Project, member: Callable[..., User], client: Client
) -> None:
    user = member(Role.MANAGER)
    other = ProjectFactory()
    MembershipFactory(project=other, user=user, role=Role.VIEWER)
    control = make_release(other, tests=3)
    client.force_login(user)

    refused = client.post(
        reverse("api:min-k", args=[run.pk]), {"control": f"{other.slug}:{control.version}"},
        content_type="application/json",
    )  # fmt: skip

    assert (refused.status_code, refused.json()["code"]) == (400, "reference_unknown")


def test_subjects_have_figures_where_there_are_pairs_enough(project: Project) -> None:
    subjects = {"history": "", "physics": ""}
    release = make_release(project, subjects=subjects, tests=FEWEST_OF_SUBJECT)
    run = make_run(project, release)
    controls = [f"ཚིག་གྲུབ་ {number:02d}" + "ཀ" * 55 for number in range(30)]
    test = begin(run, *controls)
    ask(test, Echo())

    enough = min_k_figures(test)
    lost = test.texts.filter(placed__uid__startswith="history").first()
    MinKCall.objects.filter(request_hash=lost.request_hash).delete()
    few = min_k_figures(test)

    history, physics = enough.subjects
    assert [history.subject, physics.subject] == ["History", "Physics"]
    assert history.comparison is not None
    assert physics.comparison is not None
    assert (history.comparison.difference, history.comparison.auroc) == (2.0, 1.0)
    assert history.comparison.pairs + physics.comparison.pairs == enough.comparisons[20].pairs
    assert (few.subjects[0].pairs, few.subjects[0].comparison) == (FEWEST_OF_SUBJECT - 1, None)
    assert few.subjects[1] == physics
    rows = as_json(subjects_table(few))["rows"]
    assert rows[0]["difference"]["undefined"] == "too_few_items"
    assert rows[1]["difference"]["value"] == physics.comparison.difference
