"""Open-ended items with a reference answer: asked in runs with the method Exact, counted apart."""

from collections.abc import Callable

import pytest

from accounts.models import User
from annotation.enums import ItemKind
from annotation.models import Revision
from endpoints.providers.base import ChatRequest
from evaluation.audits.actions import AuditNotYet, start_audit
from evaluation.models import ModelResponse, Run
from evaluation.results.actions import unscored
from evaluation.results.json_values import results_json
from evaluation.results.queries.figures import run_results
from leaderboards.run_figures import cells_of
from projects.enums import Role
from projects.models import Project
from releases.models import Release
from tests.evaluation.builders import NOW, make_release, make_run, work_off
from tests.factories import SourceFactory, SubjectFactory, make_release_item, make_translated_item

pytestmark = pytest.mark.django_db
REPLIES = {"capital": "**ལྷ་ས།**", "river": "Yangtze", "essay": "Long ago"}


@pytest.fixture
def release(project: Project) -> Release:
    """Two items with options, one that a number answers, three open ones: one has no reference."""
    made = make_release(project, subjects={"history": "Humanities"}, tests=2)
    subject = SubjectFactory(project=project, slug="maths", name="Maths", category="Science")
    source = SourceFactory(project=project)
    rows = [
        ("number", ItemKind.NUMBER, "7", ""),
        ("capital", ItemKind.OPEN, "", "Lhasa\nལྷ་ས"),
        ("river", ItemKind.OPEN, "", "གཙང་པོ"),
        ("essay", ItemKind.OPEN, "", ""),
    ]
    for number, (name, kind, key, answer) in enumerate(rows):
        item = make_translated_item(
            project=project, source=source, subject=subject, uid=f"maths/{name}",
            question=f"འདྲི་བ་ {name}", options=[], kind=kind, key=key,
        )  # fmt: skip
        Revision.objects.filter(translation__item=item).update(answer=answer)
        make_release_item(made, item, kind=kind, position=made.items.count() + number)
    return made


def reply(request: ChatRequest) -> str:
    text = request.messages[-1].content
    return next((words for name, words in REPLIES.items() if name in text), "7")


def finished(project: Project, release: Release, *methods: str) -> Run:
    run = make_run(project, release, methods=methods)
    work_off(run, reply)
    return run


def test_run_with_exact_asks_and_scores_open_items_with_a_reference(
    project: Project, release: Release
) -> None:
    results = results_json(run_results(finished(project, release, "anchored", "numeric", "exact")))

    assert (results["items"], results["left_out"], results["answered"]) == (5, 1, 5)
    assert [each["items"] for each in results["numbers"]] == [1]
    assert [(each["items"], each["answered"]) for each in results["texts"]] == [(2, 2)]
    rates = {
        name: each["overall"]["item_weighted"]["accuracy"]
        for name, each in results["methods"].items()
    }
    assert (rates["numeric"], rates["exact"]) == (1.0, 0.5)


def test_run_without_exact_asks_no_open_items(project: Project, release: Release) -> None:
    results = run_results(finished(project, release, "anchored", "numeric"))

    assert (results.item_count, results.left_out, results.texts) == (3, 3, ())


def test_exact_scores_stored_answers_of_an_arena_but_none_without_a_reference(
    project: Project, release: Release
) -> None:
    run = finished(project, release)
    assert ModelResponse.objects.filter(run=run).count() == 3

    run.methods = ["exact"]

    found = unscored(run).values_list("release_item__uid", flat=True)
    assert sorted(found) == ["maths/capital", "maths/river"]


def test_open_items_are_in_no_audit_and_on_no_leaderboard(
    project: Project, release: Release, member: Callable[..., User]
) -> None:
    run = finished(project, release, "exact")
    assert sum(cell.read for cell in cells_of([run])[run.pk].values()) == 0
    with pytest.raises(AuditNotYet):
        start_audit(run=run, doubtful=5, agreed=5, seed=1, actor=member(Role.MANAGER), now=NOW)
