"""What a run asks by its prompt, and that answers are read back by the letters that were asked."""

from typing import Any

import pytest

from endpoints.providers.base import ChatRequest
from evaluation.models import Run, Score
from evaluation.queries import shots_by_subject, shots_of
from evaluation.runs.actions import RunSettings, start_run
from projects.models import Project
from prompts.actions import create_prompt
from prompts.rendering import Template
from releases.models import Release
from tests.evaluation.builders import NOW, make_release, work_off
from tests.factories import ModelSpecFactory

pytestmark = pytest.mark.django_db

FRAME = "{question}\n{options}"


def run_with(project: Project, release: Release, *, shots: int = 0, **fields: Any) -> Run:
    template = Template(
        **{"language": "bo", "style": "direct", "system": "", "frame": FRAME} | fields
    )
    prompt = create_prompt(project=project, name="mine", template=template, actor=None, now=NOW)
    return start_run(
        release=release, model_spec=ModelSpecFactory(project=project), prompt=prompt,
        settings=RunSettings(shots=shots), actor=None, now=NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "options", "answer"),
    [
        ("script", "ཀ. ", "ལན་ནི་{}"),
        ("numbers", "1. ", "ལན་ནི་{}"),
        ("numbers", "1. ", "Answer: {}."),
    ],
)
def test_answers_in_the_asked_letters_are_read_as_the_keys(
    project: Project, labels: str, options: str, answer: str
) -> None:
    release = make_release(project, tests=4)
    names = {"script": "ཀཁགང", "numbers": "1234"}[labels]
    keys = {each.revision.question: each.key for each in release.items.select_related("revision")}

    def reply(request: ChatRequest) -> str:
        question, *lines = request.messages[-1].content.split("\n")
        assert lines[0].startswith(options)
        return answer.format(names["ABCD".index(keys[question])])

    run = run_with(project, release, labels=labels)
    work_off(run, reply)

    anchored = Score.objects.filter(run=run, method="anchored")
    assert (anchored.count(), anchored.filter(is_correct=True).count()) == (8, 8)
    assert set(anchored.values_list("letter", flat=True)) == set("ABCD")


def test_seed_draws_the_same_shots_every_time_and_others_with_another_seed(
    project: Project,
) -> None:
    release = make_release(project, devs=12)
    run = run_with(project, release, shots=5, shot_seed=1)
    drawn = shots_by_subject(run)

    assert drawn == shots_by_subject(run)
    for (subject, _kind), shots in drawn.items():
        assert len({shot.pk for shot in shots}) == 5
        placed = release.items.filter(subject=subject, split="test").first()
        assert placed is not None
        assert shots_of(run, placed) == shots
    run.prompt_template.shot_seed = 2
    assert drawn != shots_by_subject(run)
    run.prompt_template.shot_seed = None
    first = next(iter(shots_by_subject(run).values()))
    assert [shot.position for shot in first] == sorted(shot.position for shot in first)
    assert len(first) == 5


def test_examples_explain_only_in_the_target_language(project: Project) -> None:
    release = make_release(project, subjects={"history": ""}, devs=2)
    shown, bare = release.items.filter(split="dev").order_by("position")
    release.items.filter(split="dev").update(explanation="因为如此")
    type(shown.revision).objects.filter(pk=shown.revision_id).update(explanation="གང་ལགས་ཞེ་ན།")
    asked: list[ChatRequest] = []
    run = run_with(project, release, shots=2, style="chain-of-thought")

    work_off(run, lambda request: asked.append(request) or "A")  # type: ignore[func-returns-value]

    answers = [turn.content for turn in asked[0].messages if turn.role == "assistant"]
    assert answers == [f"གང་ལགས་ཞེ་ན།\nལན་ནི་{shown.key}", f"ལན་ནི་{bare.key}"]
