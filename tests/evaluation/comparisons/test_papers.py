"""Tables in the form of papers: their numbers, what they need, and how wide ones are printed."""

import json
import uuid
from collections.abc import Callable
from io import StringIO
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from annotation.models import Item
from evaluation.comparisons.papers import MethodsNeeded
from evaluation.models import Run
from projects.enums import Role
from projects.models import Project
from prompts.models import PromptTemplate
from releases.models import Release, ReleaseItem, ReleaseSubject
from review.enums import Outcome, PanelState, RoundKind, RoundState, SeatState
from review.models import Answer, Assignment, Panel, Round
from scoring.scorers.likelihood import Continuation, write_likelihoods
from tests.evaluation.builders import NOW, asked_uid, finished_run, make_release, make_run, work_off
from tests.factories import (
    EndpointFactory,
    ModelSpecFactory,
    RoundFactory,
    SourceFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db
KEYS = "ABCD"


@pytest.fixture
def release(project: Project) -> Release:
    """history in Humanities and physics in Science, with 4 test items each."""
    return make_release(project, tests=4)


@pytest.fixture
def run(project: Project, release: Release) -> Run:
    return asked_run(project, release, "m")


@pytest.fixture
def other(project: Project, release: Release) -> Run:
    return asked_run(project, release, "other")


def asked_run(project: Project, release: Release, name: str, **settings: Any) -> Run:
    """A model that is right about history, says nothing about physics/test-3, and else says A.

    The answer “A or B” to history/test-3 is read by no method.
    """

    def reply(request: Any) -> str:
        subject, _slash, number = asked_uid(request).partition("/test-")
        if subject == "physics":
            return "" if number == "3" else "A"
        return "A or B" if number == "3" else KEYS[int(number)]

    spec = settings.pop("spec", None) or ModelSpecFactory(
        project=project, name=name, parameters={"temperature": 0.5, "stop": ["x"]}, size="7.5"
    )
    methods = ("anchored", "direct", "concern_all")
    return finished_run(project, reply, release=release, spec=spec, methods=methods, **settings)


def called(*runs: Run, **options: str) -> str:
    out = StringIO()
    call_command("compare_runs", "ti", *[str(run.pk) for run in runs], stdout=out, **options)
    return out.getvalue()


def table(*runs: Run, **options: str) -> Any:
    return json.loads(called(*runs, format="json", **options))


def test_tlue_has_three_measures_by_category_for_both_methods(run: Run, other: Run) -> None:
    rows = table(run, other, table="tlue-1")["rows"]
    assert [(row["run"], row["method"]) for row in rows] == [
        ("m", "Direct"), ("m", "Concern all"), ("other", "Direct"), ("other", "Concern all"),
    ]  # fmt: skip
    row = rows[0]
    assert (row["response_rate_Humanities"], row["response_rate_Science"]) == (0.75, 0.75)
    assert (row["accuracy_Humanities"], row["accuracy_Science"]) == (0.75, 0.25)
    assert row["conditional_accuracy_Humanities"] == 1
    assert row["conditional_accuracy_Science"] == pytest.approx(1 / 3)
    assert (row["accuracy_average"], row["accuracy"]["value"]) == (0.5, 0.5)
    text = called(run, other, table="tlue-1", format="latex")
    assert text.count(r"\begin{table}") == 3
    assert called(run, other, table="tlue-1", format="csv").count("\r\n") == 5


def test_tlue_needs_both_methods(project: Project, release: Release, run: Run) -> None:
    spec = ModelSpecFactory(project=project, name="anchored-only")
    single = finished_run(project, release=release, spec=spec, methods=("anchored",))
    with pytest.raises(CommandError, match="needs the methods direct \\+ concern_all") as refusal:
        called(run, single, table="tlue-1")
    assert isinstance(refusal.value.__cause__, MethodsNeeded)


def test_tmlu_sets_chain_of_thought_beside_direct_answers(
    project: Project, release: Release, run: Run
) -> None:
    second = asked_run(project, release, "m", spec=run.model_spec, is_asked_again=True)
    reasoned = PromptTemplate.objects.get(pk=second.prompt_template_id)
    reasoned.pk, reasoned.name, reasoned.style = None, "reasoned", "chain-of-thought"
    reasoned.save()
    Run.objects.filter(pk=second.pk).update(prompt_template=reasoned)
    found = table(run, second, table="tmlu-main", method="direct")
    assert sorted(row["style"] for row in found["rows"]) == ["chain of thought", "direct answer"]
    assert {row["accuracy_Humanities"] for row in found["rows"]} == {0.75}
    (difference,) = table(run, second, table="tmlu-cot", method="direct")["rows"]
    assert (difference["difference_Humanities"], difference["difference_average"]) == (0, 0)
    assert difference["difference"]["value"] == 0


def test_mm_eval_has_dimensions_and_their_subjects(release: Release, run: Run, other: Run) -> None:
    ReleaseSubject.objects.filter(release=release, slug="history").update(dimension="Knowledge")
    row = table(run, other, table="mm-eval-1", method="direct")["rows"][0]
    assert (row["accuracy_Knowledge"], row["accuracy_–"]) == (0.75, 0.25)
    assert (row["accuracy_subject_history"], row["accuracy_subject_physics"]) == (0.75, 0.25)
    text = called(run, other, table="mm-eval-1", format="markdown")
    assert text.count("**MM-Eval") == 3


def test_laobench_has_people_where_enough_answers_are_there(
    project: Project, release: Release, run: Run, other: Run
) -> None:
    before = table(run, other, table="laobench-main", method="direct")
    assert [row["run"] for row in before["rows"]] == ["m", "other"]
    assert "fewer than 30 answers" in before["note"]
    history = [placed for placed in release.items.all() if placed.uid.startswith("history")]
    round_ = RoundFactory(
        project=project, number=1, kind=RoundKind.SOLVING, state=RoundState.CLOSED
    )
    for placed in history:
        panel = _panel(round_, placed)
        for seat in range(8):
            _solve(panel, seat, UserFactory(), placed.item.key if seat < 6 else "")
    people = table(run, other, table="laobench-main", method="direct")["rows"][0]
    assert (people["run"], people["n"]) == ("People", 4)
    assert (people["accuracy_Humanities"], people["accuracy_Science"]) == (0.75, None)
    assert (people["accuracy_average"], people["accuracy"]["value"]) == (None, 0.75)
    Round.objects.update(state=RoundState.OPEN)
    assert len(table(run, other, table="laobench-main")["rows"]) == 2


def _panel(round_: Round, placed: ReleaseItem) -> Panel:
    return Panel.objects.create(
        round=round_, item=placed.item, revision=placed.revision, subject=placed.item.subject,
        position=placed.position, state=PanelState.SETTLED, outcome=Outcome.APPROVED,
    )  # fmt: skip


def _solve(panel: Panel, number: int, expert: User, choice: str) -> None:
    seat = Assignment.objects.create(
        panel=panel, round=panel.round, position=panel.position, seat=number, reviewer=expert,
        state=SeatState.JUDGED,
    )  # fmt: skip
    Answer.objects.create(
        assignment=seat, panel=panel, reviewer=expert, choice=choice, submitted_at=NOW,
        idempotency_key=str(number), receipt=uuid.uuid4(),
    )  # fmt: skip


def test_parameters_and_sizes_say_what_was_asked(run: Run, other: Run) -> None:
    row = table(run, other, table="parameters")["rows"][0]
    assert {name: row[name] for name in ("size", "temperature", "seed", "other", "shots")} == {
        "size": 7.5, "temperature": "0.5", "seed": "", "other": "stop=['x']", "shots": 0,
    }  # fmt: skip
    sizes = table(run, other, table="sizes")
    assert sizes["title"] == (f"Size of the release (release {run.release.version}, 8 test items)")
    assert sizes["rows"] == [
        {"category": category, "subject": subject, "level": "–", "options": 4, "items": 4}
        for category, subject in (("Humanities", "History"), ("Science", "Physics"))
    ]


def test_wide_tables_are_printed_as_several(project: Project) -> None:
    release = make_release(project, subjects={f"s{n}": f"Category {n}" for n in range(12)}, tests=1)
    runs = [asked_run(project, release, name) for name in ("m", "other")]
    text = called(*runs, table="tmlu-main", format="latex")
    assert text.count(r"\begin{table}") == 2
    assert called(*runs, table="tmlu-main", format="csv").count("\r\n") == 3


def test_answers_to_one_item_stand_side_by_side(run: Run, other: Run) -> None:
    body = table(run, other, table="answers", item="history/test-1")
    assert [(row["run"], row["answer"], row["found"], row["verdict"]) for row in body["rows"]] == [
        ("m", "B", "B", "right"), ("other", "B", "B", "right"),
    ]  # fmt: skip
    assert "history/test-1" in body["note"]
    assert "Key: B." in body["note"]
    for options, words in (
        ({"table": "answers", "item": "history/test-9"}, "share no answered item"),
        ({"table": "answers"}, "together"),
        ({"table": "runs", "item": "history/test-1"}, "together"),
    ):
        with pytest.raises(CommandError, match=words):
            called(run, other, **options)


def test_chat_model_stands_against_its_base_by_category_and_subject(
    project: Project, release: Release
) -> None:
    """The base gives likelihoods and is right on half; the chat model as in `asked_run`."""
    endpoint = EndpointFactory(project=None)  # the base is a model of the server
    endpoint.allowed_projects.add(project)
    spec = ModelSpecFactory(project=None, endpoint=endpoint, name="base", size="7.5")
    base = make_run(project, release, spec=spec, methods=("likelihood",))
    work_off(base, lambda request: likely("B" if asked_uid(request) == "history/test-1" else "A"))
    tuned = ModelSpecFactory(project=project, name="chat", tuned_from="base")
    chat = asked_run(project, release, "chat", spec=tuned)

    found = table(base, chat, table="base-chat")

    assert [
        (row["category"], row["subject"], row["n"], row["wins"], row["losses"])
        for row in found["rows"]
    ] == [
        ("all", "all", 8, 1, 0),
        ("Humanities", "all", 4, 1, 0),
        ("Humanities", "History", 4, 1, 0),
        ("Science", "all", 4, 0, 0),
        ("Science", "Physics", 4, 0, 0),
    ]
    row = found["rows"][0]
    assert (row["first"], row["method_first"]) == ("chat", "Anchored")
    assert (row["second"], row["method_second"]) == ("base", "Likelihood")
    assert (row["accuracy_first"], row["accuracy_second"]) == (0.5, 0.375)
    assert row["difference"]["low"] < row["difference"]["value"] < row["difference"]["high"]
    assert "each by its own method" in found["title"]
    assert len(table(base, chat, table="rotations")["rows"]) == 0


def likely(letter: str) -> str:
    """The likelihoods of four options, of which `letter` is the most probable."""
    return write_likelihoods(
        [Continuation((-0.1 if each == letter else -2.0,), 1) for each in KEYS]
    )


def drawn(picture: str) -> list[str]:
    """The words of a picture below its title, without the axis."""
    texts = [
        each.text or "" for each in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    ]
    return [each for each in texts[1:] if not each.endswith(" %")]


def test_tables_with_accuracies_are_drawn_by_runs(run: Run, other: Run) -> None:
    legend = ["m", "other"]
    by_category = drawn(called(run, other, table="categories", format="svg"))
    assert by_category == [*legend, "Humanities", "75.0", "75.0", "Science", "25.0", "25.0"]
    alone = drawn(called(run, other, table="runs", format="svg"))
    assert alone == ["m", "50.0", "other", "50.0"]
    paper = drawn(called(run, other, table="tlue-1", format="svg"))
    assert paper[:4] == ["m · Direct", "m · Concern all", "other · Direct", "other · Concern all"]
    assert paper[4:9] == ["Humanities", "75.0", "75.0", "75.0", "75.0"]
    with pytest.raises(CommandError, match="no picture of this table"):
        called(run, other, table="parameters", format="svg")


def test_page_and_api_give_the_picture(
    run: Run, other: Run, member: Callable[..., User], client: Client
) -> None:
    client.force_login(member(Role.MANAGER))
    chosen = f"?runs={run.pk},{other.pk}&table=categories"
    page = client.get(f"/projects/ti/comparisons/{chosen}").content.decode()
    assert "/projects/ti/comparisons/svg?" in page
    file = client.get(f"/projects/ti/comparisons/svg{chosen}")
    assert file["Content-Type"].startswith("image/svg+xml")
    told = client.get(f"/api/v1/projects/ti/comparisons/export/{chosen}&format=svg")
    assert b"".join(told.streaming_content) == file.content  # type: ignore[arg-type]
    refused = client.get(f"/projects/ti/comparisons/svg?runs={run.pk},{other.pk}&table=parameters")
    assert refused.status_code == 400


def test_runs_are_compared_by_the_source_of_the_items(run: Run, other: Run) -> None:
    law = SourceFactory(project=run.release.project, name="SafetyBench")
    Item.objects.filter(subject__slug="physics").update(source=law)
    rows = table(run, other, table="origins")["rows"]
    assert [(row["group"], row["run"], row["n"]) for row in rows][:2] == [
        ("SafetyBench", "m", 4), ("SafetyBench", "other", 4),
    ]  # fmt: skip
