"""An answer is bought once: later runs copy what earlier runs got to the same question."""

from collections import Counter
from typing import Any

import pytest

from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest, EndpointRefused
from endpoints.providers.recorded import NullProvider
from evaluation.models import ModelResponse, Run, Score
from evaluation.results.queries.figures import run_results
from evaluation.results.queries.usage import Usage
from projects.models import Project
from releases.models import Release
from tests.evaluation.builders import asked_uid, make_release, make_run, work_off
from tests.factories import ModelSpecFactory, ProjectFactory, make_release_item

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


class Paid(NullProvider):
    """An endpoint at the address of a model that counts what it is asked, with a price in tokens."""

    def __init__(self, spec: ModelSpec, fails: tuple[str, ...] = ()) -> None:
        super().__init__(lambda request: "A", spec.endpoint.base_url)
        self.fails = fails
        self.asked: Counter[str] = Counter()

    async def complete(self, request: ChatRequest) -> ChatReply:
        uid = asked_uid(request)
        self.asked[uid] += 1
        if uid in self.fails:
            raise EndpointRefused("400")
        return ChatReply("A", prompt_tokens=100, completion_tokens=10)


@pytest.fixture
def spec(project: Project) -> ModelSpec:
    return ModelSpecFactory(project=project)


def run_at(spec: ModelSpec, release: Release, **settings: Any) -> tuple[Run, Counter[str]]:
    """A finished run, and how often each item was asked for it."""
    endpoint = Paid(spec)
    run = make_run(spec.project, release, spec=spec, **settings)
    work_off(run, endpoint)
    return run, endpoint.asked


def reused_of(run: Run) -> int:
    return ModelResponse.objects.filter(run=run).exclude(reused_from=None).count()


def test_another_method_asks_nothing_and_names_where_answers_came_from(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=2)
    first, _asked = run_at(spec, release, methods=("direct",))

    second, asked = run_at(spec, release, methods=("concern_all",))

    assert asked == {}
    pairs = ModelResponse.objects.filter(run=second).select_related("reused_from")
    assert [(row.release_item_id, row.text, row.request_hash) for row in pairs] == [
        (row.reused_from.release_item_id, row.reused_from.text, row.reused_from.request_hash)
        for row in pairs
        if row.reused_from is not None and row.reused_from.run_id == first.pk
    ]
    assert Score.objects.filter(run=second, method="concern_all").count() == 4
    assert run_results(first).usage == Usage(4, 0, 0, 400, 40)
    assert run_results(second).usage == Usage(0, 4, 0, 0, 0)
    assert (second.job.state, second.job.done, second.job.total) == ("done", 4, 4)


def test_more_epochs_ask_only_the_epochs_that_are_new(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=2)
    run_at(spec, release, epochs=1)

    run, asked = run_at(spec, release, epochs=3)

    assert set(asked.values()) == {2}
    reused = ModelResponse.objects.filter(run=run).exclude(reused_from=None)
    assert set(reused.values_list("epoch", "reused_from__epoch")) == {(1, 1)}


def test_copies_of_copies_name_the_answer_that_was_bought(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=1)
    first, _asked = run_at(spec, release, methods=("direct",))
    run_at(spec, release, methods=("concern_all",))

    third, asked = run_at(spec, release, methods=("anchored",))

    assert asked == {}
    sources = ModelResponse.objects.filter(run=third).values_list("reused_from__run", flat=True)
    assert set(sources) == {first.pk}


def test_rebuilt_release_asks_only_its_changed_items(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=3)
    run_at(spec, release)
    rebuilt = make_release(spec.project, tests=0)
    new = make_release(spec.project, tests=4)
    for placed in new.items.select_related("item"):
        make_release_item(rebuilt, placed.item, split="test", position=placed.position)

    _run, asked = run_at(spec, rebuilt)

    assert asked == {"history/test-3": 1, "physics/test-3": 1}


def test_other_parameters_models_projects_and_failures_are_asked(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=1)
    run = make_run(spec.project, release, spec=spec)
    work_off(run, Paid(spec, fails=("history/test-0",)))

    warmer = ModelSpecFactory(
        project=spec.project, endpoint=spec.endpoint, parameters={"temperature": 0.7}
    )
    other = ModelSpecFactory(project=spec.project, endpoint=spec.endpoint, model="other")
    elsewhere = ProjectFactory(slug="elsewhere")
    foreign = ModelSpecFactory(project=elsewhere, endpoint__base_url=spec.endpoint.base_url)
    both = {"history/test-0": 1, "physics/test-0": 1}

    assert run_at(warmer, release)[1] == both
    assert run_at(other, release)[1] == both
    assert run_at(foreign, make_release(elsewhere, tests=1))[1] == both
    assert run_at(spec, release, methods=("direct",))[1] == {"history/test-0": 1}


def test_new_price_and_another_name_of_the_model_ask_nothing(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=1)
    run_at(spec, release)
    renamed = ModelSpecFactory(
        project=spec.project, endpoint=spec.endpoint, prompt_price=1, completion_price=2
    )

    run, asked = run_at(renamed, release)

    assert (asked, reused_of(run)) == ({}, 2)


def test_run_that_asks_again_copies_nothing(spec: ModelSpec) -> None:
    release = make_release(spec.project, tests=1)
    run_at(spec, release)

    run, asked = run_at(spec, release, is_asked_again=True)

    assert (sum(asked.values()), reused_of(run)) == (2, 0)
