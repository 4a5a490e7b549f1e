"""Items that a number answers: asked in runs with the method Numeric, and counted apart."""

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from accounts.models import User
from annotation.enums import ItemKind
from endpoints.providers.base import ChatRequest
from evaluation.models import ModelResponse, Run, Score
from evaluation.results.actions import LONGEST_ANSWER, unscored
from evaluation.results.json_values import results_json
from evaluation.results.queries.figures import run_results
from evaluation.runs.actions import ReleaseWithoutTests
from languages import LANGUAGES
from projects.enums import Role
from projects.models import Project
from prompts.rendering import PromptItem, Template, default_template, render
from releases.models import Release
from scoring.scorers import AskedItem, extract
from scoring.scorers.letters import OptionLetters
from scoring.scorers.numeric import is_key
from tests.evaluation.builders import asked_uid, make_release, make_run, work_off
from tests.factories import SourceFactory, SubjectFactory, make_release_item, make_translated_item

pytestmark = pytest.mark.django_db
KEYS = ("1200", "༣.༥", "3/4")
ALL = ("anchored", "direct", "numeric")


def add_numbers(project: Project, release: Release, keys: tuple[str, ...] = KEYS) -> None:
    """Items of the subject maths that a number answers, and one open-ended item."""
    subject = SubjectFactory(project=project, slug="maths", name="Maths", category="Science")
    source = SourceFactory(project=project)
    position = release.items.count()
    for number, key in enumerate(keys):
        item = make_translated_item(
            project=project, source=source, subject=subject, uid=f"maths/{number}",
            question=f"འདྲི་བ་ maths/{number} ག་ཚོད།", options=[], kind=ItemKind.NUMBER, key=key,
        )  # fmt: skip
        make_release_item(release, item, kind=ItemKind.NUMBER, position=position + number)
    essay = make_translated_item(
        project=project, source=source, subject=subject, uid="maths/open", options=[],
        kind=ItemKind.OPEN, key="",
    )  # fmt: skip
    make_release_item(release, essay, kind=ItemKind.OPEN, position=position + len(keys))


@pytest.fixture
def release(project: Project) -> Release:
    """Three items with options, three that a number answers, one that is open-ended."""
    made = make_release(project, subjects={"history": "Humanities"}, tests=3)
    add_numbers(project, made)
    return made


def reply(request: ChatRequest) -> str:
    """Right about options; of the numbers right, right in another script, and wrong."""
    uid = asked_uid(request)
    number = int(uid.rpartition("/")[2].rpartition("-")[2])
    return ("Together ¥1,200 yuan.", "3.50 km", "4")[number] if "maths" in uid else "ABCD"[number]


def finished(project: Project, release: Release, *methods: str, **settings: Any) -> Run:
    run = make_run(project, release, methods=methods, **settings)
    work_off(run, reply)
    return run


# What is asked


def test_run_with_numeric_asks_both_kinds_and_leaves_out_the_open_ended(
    project: Project, release: Release
) -> None:
    run = finished(project, release, *ALL)

    results = run_results(run)
    assert (results.item_count, results.left_out, results.answered) == (6, 1, 6)


def test_run_without_numeric_leaves_numbers_out(project: Project, release: Release) -> None:
    results = run_results(finished(project, release, "anchored"))

    assert (results.item_count, results.left_out, results.numbers) == (3, 4, ())
    assert [each.method for each in results.coverage] == ["anchored"]


def test_run_of_numbers_alone_has_numeric_as_its_headline(
    project: Project, release: Release
) -> None:
    run = finished(project, release, "numeric")

    run.refresh_from_db()
    assert (run.headline_method, run.headline_right, run.headline_read) == ("numeric", 2, 3)
    results = run_results(run)
    assert (results.item_count, results.left_out, results.baseline) == (3, 4, None)


def test_release_without_items_for_the_methods_is_refused(project: Project) -> None:
    choices = make_release(project)
    with pytest.raises(ReleaseWithoutTests, match="Numeric"):
        make_run(project, choices, methods=("numeric",))


def test_examples_of_a_number_are_numbers(project: Project, release: Release) -> None:
    release.items.filter(uid="maths/1").update(split="dev")
    run = make_run(project, release, methods=ALL, shots=2)
    seen: list[ChatRequest] = []

    def remember(request: ChatRequest) -> str:
        seen.append(request)
        return "1"

    work_off(run, remember)
    [first] = [each for each in seen if asked_uid(each) == "maths/0"]
    assert [each.content for each in first.messages if each.role == "assistant"] == ["༣.༥"]
    assert all(len(each.messages) == 2 for each in seen if "history" in asked_uid(each))


# Scores


def test_each_method_scores_its_own_items_alone(project: Project, release: Release) -> None:
    run = finished(project, release, *ALL)

    pairs = Score.objects.filter(run=run).values_list("method", "response__release_item__kind")
    assert set(pairs) == {("anchored", "choice"), ("direct", "choice"), ("numeric", "number")}
    assert not unscored(run).exists()
    assert work_off(make_run(project, release, methods=ALL), reply).state == "done"


def test_figures_of_numbers_stand_apart(project: Project, release: Release) -> None:
    results = run_results(finished(project, release, *ALL))

    found = {each.scorer.name: each.summary.overall.tally for each in results.methods}
    assert {name: (each.correct, each.n) for name, each in found.items()} == {
        "anchored": (3, 3), "direct": (3, 3), "numeric": (2, 3),
    }  # fmt: skip
    assert results.gaps == ()
    assert (results.baseline, results.differences) == (0.25, ())
    told = results_json(results)
    assert [each["subject"] for each in told["subjects"]] == ["history"]
    assert told["numbers"] == [
        {"subject": "maths", "name": "Maths", "category": "Science", "items": 3, "answered": 3,
         "failed": 0, "random_baseline": None}
    ]  # fmt: skip


def test_several_epochs_count_each_item_once(project: Project, release: Release) -> None:
    results = run_results(finished(project, release, *ALL, epochs=2))

    numeric = next(each for each in results.methods if each.scorer.name == "numeric")
    assert (numeric.summary.overall.tally.n, numeric.epochs.epoch_count) == (6, 2)


def test_number_of_any_length_is_stored(project: Project, release: Release) -> None:
    run = make_run(project, release, methods=("numeric",))
    work_off(run, lambda request: "7" * 500)

    assert {len(each.letter) for each in Score.objects.filter(run=run)} == {LONGEST_ANSWER}


@pytest.mark.parametrize(
    ("response", "key", "expected"),
    [
        ("1,200", "1200", True),
        ("༡༢༠༠", "1200", True),
        ("1200", "༡༢༠༠", True),
        ("The sum is 1 200 km.", "1200", True),
        ("1200.0", "1200", True),
        ("1200.01", "1200", False),  # no tolerance
        ("3/4", "3/4", True),
        ("6/8", "3/4", True),
        ("0.75", "3/4", True),
        ("so -3/4", "−3/4", True),
        ("4", "3/4", False),
        ("3/4", "4", False),
        ("3/0", "0", True),  # no fraction, so the last number
        ("on 3/4/2024", "2024", True),
        ("50 %", "50", True),
        ("nothing", "0", False),
    ],
)
def test_number_is_compared_by_value(response: str, key: str, expected: bool) -> None:
    number = extract("numeric", response, AskedItem(OptionLetters(2))).number

    assert is_key(number, key) is expected


# Prompts


@pytest.mark.parametrize("style", ["direct", "chain-of-thought"])
@pytest.mark.parametrize("language", [code for code, each in LANGUAGES.items() if each.frames])
def test_prompt_for_a_number_has_no_options_in_any_language(language: str, style: str) -> None:
    template = default_template(language, style)
    item = PromptItem("Q {x}?", (), key="12", explanation="Because.", has_number=True)

    system, shot, answer, asked = render(item, template=template, shots=[item])

    assert system.content == LANGUAGES[language].number_frames.system  # type: ignore[union-attr]
    assert shot == asked
    assert "Q {x}?" in asked.content and " / " not in asked.content
    assert answer.content.endswith("12")


def test_prompt_for_a_number_has_no_system_message_where_the_template_has_none() -> None:
    template = Template("bo", "direct", "", "{question} {options}")

    messages = render(PromptItem("Q?", (), has_number=True), template=template)
    assert [each.role for each in messages] == ["user"]


# Pages and files


def test_page_and_files_show_numbers_apart(
    project: Project, release: Release, member: Callable[..., User],
    browser_of: Callable[[User], Any],
) -> None:  # fmt: skip
    run = finished(project, release, *ALL)
    browser = browser_of(member(Role.MANAGER))
    page = reverse("evaluation:run", args=["ti", run.pk])

    numeric = browser.get(f"{page}?method=numeric").content.decode()
    assert "Maths" in numeric and "The dashed line" not in numeric
    anchored = browser.get(page).content.decode()
    assert "Maths" not in anchored and "The dashed line" in anchored
    response = ModelResponse.objects.get(run=run, release_item__uid="maths/2")
    shown = browser.get(reverse("evaluation:response", args=["ti", run.pk, response.pk]))
    assert "Found 4. The key is 3/4." in shown.content.decode()
    listed = browser.get(reverse("evaluation:responses", args=["ti", run.pk]) + "?method=numeric")
    assert listed.status_code == 200
