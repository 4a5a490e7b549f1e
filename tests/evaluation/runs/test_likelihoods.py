"""Runs whose methods read likelihoods, against the stand-in endpoint."""

import pytest

from endpoints.connections import connect
from endpoints.providers.base import (
    ChatReply,
    ChatRequest,
    EndpointError,
    EndpointGarbled,
    EndpointKnowsNothing,
    EndpointRefused,
    EndpointUnreachable,
)
from endpoints.specs.testing import ask_once, texts_of_test
from evaluation.models import ModelResponse, Score
from evaluation.results.actions import further_methods
from evaluation.runs.actions import RunInvalid, RunSettings
from evaluation.runs.estimates import estimate_run
from jobs.enums import JobState
from projects.models import Project
from prompts.actions import ensure_default_prompts
from prompts.queries import known_prompts
from scoring.scorers.likelihood import BEGINNING, read_likelihoods
from tests.evaluation.builders import NOW, make_release, make_run, serving, work_off
from tests.factories import ModelSpecFactory

METHODS = ("likelihood", "likelihood_text", "likelihood_norm")
pytestmark = pytest.mark.django_db


class Chat:
    """An endpoint that knows chats alone."""

    endpoint = "http://chat.example.org/v1"

    def __init__(self, error: EndpointError) -> None:
        self.asked, self.error = 0, error

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked += 1
        if request.continuations:
            raise self.error
        return ChatReply("A")

    async def aclose(self) -> None: ...


def test_run_scores_stand_in_the_same_way_with_rotated_options(project: Project) -> None:
    with serving() as server:
        spec = ModelSpecFactory(
            project=project, model="stand-in-strong", endpoint__base_url=server.base_url
        )
        run = make_run(project, spec=spec, methods=METHODS, rotation=1)
        work_off(run, connect(spec.endpoint))
        assert "likelihood methods can be used" in texts_of_test(ask_once(spec, spec.project))[-1]

    responses = ModelResponse.objects.filter(run=run)
    assert responses.count() == run.job.total == 6
    assert all(len(read_likelihoods(each.text)) == 4 for each in responses)
    assert all(each.text.startswith(BEGINNING) for each in responses)
    scores = Score.objects.filter(run=run)
    assert scores.filter(is_valid=True, method="likelihood").count() == 6
    assert {each.method for each in scores} == set(METHODS)
    assert run.headline_method == "likelihood"
    assert further_methods(run) == []


def test_estimate_counts_the_prompt_once_for_each_option(project: Project) -> None:
    release, spec = make_release(project), ModelSpecFactory(project=project)
    ensure_default_prompts(project=project, now=NOW)
    prompt = known_prompts(project, now=NOW)[0]
    found = {
        methods: estimate_run(
            release=release, model_spec=spec, prompt=prompt, settings=RunSettings(methods=methods)
        )
        for methods in (METHODS, ("anchored",))
    }

    assert found[METHODS].completion_tokens == 4 * 6
    assert found[METHODS].prompt_tokens > 4 * found["anchored",].prompt_tokens
    assert found[METHODS].calls == found["anchored",].calls == 6


@pytest.mark.parametrize(
    "error", [EndpointRefused("400"), EndpointKnowsNothing("404"), EndpointGarbled("no-logprobs")]
)
def test_endpoint_without_them_is_told_before_anything_is_asked(
    project: Project, error: EndpointError
) -> None:
    run, chat = make_run(project, methods=METHODS), Chat(error)
    job = work_off(run, chat)

    assert (job.state, job.error_code) == (JobState.FAILED, "likelihoods_missing")
    assert "Nothing has been asked" in job.error
    assert (chat.asked, ModelResponse.objects.filter(run=run).count()) == (1, 0)


def test_lost_connection_is_not_taken_for_missing_likelihoods(project: Project) -> None:
    job = work_off(make_run(project, methods=METHODS), Chat(EndpointUnreachable("lost")))

    assert (job.state, job.error_code) == (JobState.FAILED, "endpoint_failing")


def test_methods_that_read_texts_need_a_run_of_their_own(project: Project) -> None:
    with pytest.raises(RunInvalid) as refused:
        make_run(project, methods=("anchored", "likelihood"))
    assert list(refused.value.fields) == ["methods"]
    run = make_run(project)
    assert not set(METHODS) & set(further_methods(run))
