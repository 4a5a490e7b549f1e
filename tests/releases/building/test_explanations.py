"""A release counts the explanations that models wrote, and its card says so."""

import pytest

from annotation.models import Item, Revision
from projects.models import Project
from prompts.actions import ensure_job_prompt
from prompts.enums import PromptPurpose
from releases.models import Release
from review.models import ExplanationJob
from tests.factories import JobFactory, ModelSpecFactory
from tests.releases.builders import NOW, build, files_of, fill

pytestmark = pytest.mark.django_db


def texts_of(release: Release) -> dict[str, bytes]:
    found = files_of(release)
    return {name: found[name] for name in ("README.md", "manifest.json", "quality.json")}


def text_of(item: Item) -> Revision:
    assert item.working_translation
    assert item.working_translation.current_revision
    return item.working_translation.current_revision


def explain(project: Project, item: Item, *, words: str, now: str) -> None:
    """Have a model write `words` into the text of an item, where `now` stands today."""
    prompt = ensure_job_prompt(
        project=project, purpose=PromptPurpose.MAKE, task="explanations", frame="{item}", now=NOW
    )
    started = ExplanationJob.objects.create(
        project=project, model_spec=ModelSpecFactory(project=project), prompt_template=prompt,
        job=JobFactory(kind="explaining", scope=project.slug), started_at=NOW,
    )  # fmt: skip
    text = text_of(item)
    made = Revision.objects.create(
        translation=text.translation, number=text.number + 1, supersedes=text, origin="mt",
        question=text.question, options=text.options, explanation=words, content_hash="0",
        created_at=NOW,
    )  # fmt: skip
    started.items.create(item=item, revision=text, made=made, state="explained")
    Revision.objects.filter(pk=text.pk).update(explanation=now)


def test_card_tells_the_share_of_explanations_that_a_model_wrote_and_nobody_replaced(
    project: Project,
) -> None:
    fill(project, subjects=1, tests=4, devs=0)
    kept, replaced, *_others = Item.objects.order_by("pk")
    explain(project, kept, words="Because.", now="Because.")
    explain(project, replaced, words="Because.", now="For another reason.")

    files = {name: body.decode() for name, body in texts_of(build(project)).items()}

    (model,) = [each.model_spec.name for each in ExplanationJob.objects.filter(items__item=kept)]
    assert "wrote the explanation of 1 of the 4 items (25.0 %)" in files["README.md"]
    assert f"| {model} | 1 |" in files["README.md"]
    assert '"explained_by"' in files["manifest.json"]


def test_release_without_such_explanations_says_nothing_of_them(project: Project) -> None:
    fill(project, subjects=1, tests=2, devs=0)
    files = {name: body.decode() for name, body in texts_of(build(project)).items()}
    assert "Explanations by models" not in files["README.md"]
    assert '"explained_by"' not in files["manifest.json"] + files["quality.json"]
