"""Open-ended items with a reference answer: asked in runs with the method Exact, counted apart."""

import pytest

from annotation.enums import ItemKind
from annotation.models import Revision
from endpoints.providers.base import ChatRequest
from evaluation.audits.actions import VerdictUnreadable, store_reading
from evaluation.audits.presenters import readable_response
from evaluation.audits.queries import audit_figures, export_rows
from evaluation.models import ModelResponse, Run
from evaluation.results.actions import unscored
from evaluation.results.json_values import results_json
from evaluation.results.queries.figures import run_results
from evaluation.results.queries.subsets import cells_of
from projects.models import Project
from releases.models import Release
from tests.evaluation.audits.builders import drawn, sample
from tests.evaluation.builders import NOW, make_release, make_run, work_off
from tests.factories import (
    SourceFactory,
    SubjectFactory,
    UserFactory,
    make_release_item,
    make_translated_item,
)

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


def test_open_items_are_on_no_leaderboard(project: Project, release: Release) -> None:
    run = finished(project, release, "exact")
    assert sum(cell.read for cell in cells_of([run])[run.pk].values()) == 0


def test_people_say_right_or_wrong_of_open_items_in_an_audit(
    project: Project, release: Release
) -> None:
    audit = drawn(finished(project, release, "exact"))
    said = {"maths/capital": "right", "maths/river": "right"}
    rows = {each.response.release_item.uid: each for each in sample(audit)}
    assert sorted(rows) == sorted(said)
    for odd in (None, "", "A", "Right"):
        with pytest.raises(VerdictUnreadable):
            store_reading(audited=rows["maths/river"], answer=odd, actor=UserFactory(), now=NOW)
    for person in (UserFactory(), UserFactory()):
        for uid, audited in rows.items():
            store_reading(audited=audited, answer=said[uid], actor=person, now=NOW)

    exact = next(each for each in audit_figures(audit).methods if each.method == "exact")
    assert (exact.read, exact.right) == (2, 1)
    assert exact.accuracy is not None
    assert exact.accuracy.share == 0.5
    agreed = {row["uid"]: (row["agreed"], row["methods"]) for row in export_rows(audit)}
    assert agreed["maths/river"] == ("right", {"exact": "wrong"})


def test_reader_of_an_open_item_sees_its_reference(project: Project, release: Release) -> None:
    run = finished(project, release, "anchored", "exact")
    shown = [readable_response(each, run) for each in sample(drawn(run))]
    assert {each.reference for each in shown} == {"", "Lhasa\nལྷ་ས", "གཙང་པོ"}
