"""Runs ask for translations, and their corpus scores are those of sacrebleu."""

import csv
from io import StringIO

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from sacrebleu.metrics import BLEU, CHRF

from common.estimates import Estimate, Undefined
from endpoints.providers.base import ChatRequest, Message
from evaluation.models import ModelResponse, Run, Score, TranslationScore
from evaluation.results.actions import score_missing, unscored
from evaluation.results.json_values import results_json
from evaluation.results.queries.figures import run_results
from evaluation.translation.queries import TranslationFigures, translation_figures
from evaluation.translation.tables import translation_table
from languages import get_language
from projects.enums import Role
from projects.models import Project
from releases.models import Release
from scoring.segmenters import segmenter_of, tokens_of
from tests.evaluation.builders import asked_uid, make_run, work_off
from tests.evaluation.translation.builders import (
    REPLIES,
    TEXTS,
    make_translations,
    reply,
    translated,
)
from tests.factories import MembershipFactory
from tests.markup import marks_of

pytestmark = pytest.mark.django_db
NAMES = {"bo": "Tibetan (བོད་ཡིག, bo)", "zh": "Chinese (中文, zh)"}


@pytest.fixture
def release(project: Project) -> Release:
    return make_translations(project)


@pytest.fixture
def run(project: Project, release: Release) -> Run:
    return translated(project, release)


def figures(run: Run, level: str) -> dict[str, TranslationFigures]:
    return {each.name: each for each in translation_figures(run) if each.level == level}


def test_run_asks_the_translations_alone_and_names_their_languages(
    project: Project, release: Release
) -> None:
    asked: list[ChatRequest] = []

    def listening(request: ChatRequest) -> str:
        asked.append(request)
        return reply(request)

    run = translated(project, release, listening, "translation", shots=1)

    assert len(asked) == len(TEXTS)
    news = next(each for each in asked if TEXTS["zh-1"][2] in each.messages[-1].content)
    frame = "ཡི་གེ་འདི་ {} ནས་ {} ལ་བསྒྱུར་རོགས། བསྒྱུར་བའི་ཡི་གེ་ཁོ་ན་འབྲི་རོགས།\n\n{}"
    assert news.messages == (
        Message("user", frame.format(NAMES["zh"], NAMES["bo"], "谢谢。")),
        Message("assistant", "ཐུགས་རྗེ་ཆེ།"),
        Message("user", frame.format(NAMES["bo"], NAMES["zh"], TEXTS["zh-1"][2])),
    )
    results = results_json(run_results(run))
    assert (results["items"], results["left_out"], results["answered"]) == (6, 1, 6)


@pytest.mark.parametrize(
    ("direction", "uids", "tokenize"),
    [
        ("zh-bo", ["bo-1", "bo-2"], "none"),
        ("zh-lo", ["lo-1", "lo-2"], "none"),
        ("bo-zh", ["zh-1", "zh-2"], "zh"),
    ],
)
def test_scores_of_a_direction_are_those_of_sacrebleu(
    run: Run, direction: str, uids: list[str], tokenize: str
) -> None:
    ours = [REPLIES[uid].rpartition("</think>")[2].strip() for uid in uids]
    references = [TEXTS[uid][3] for uid in uids]
    words = [ours, references]
    if tokenize == "none":
        target = get_language(direction.partition("-")[2])
        words = [[" ".join(tokens_of(text, target)) for text in side] for side in words]

    found = figures(run, "direction")[direction].scores

    bleu = BLEU(tokenize=tokenize, force=True).corpus_score(words[0], [words[1]])
    chrf = CHRF(word_order=2).corpus_score(ours, [references])
    assert found.bleu is not None and found.chrf is not None
    assert (found.bleu.value, found.chrf.value) == pytest.approx((bleu.score, chrf.score))
    assert 0 < found.bleu.value < 100
    assert found.bleu.low <= found.bleu.value <= found.bleu.high


def test_figures_count_items_by_direction_and_domain_and_say_what_is_empty(run: Run) -> None:
    def counts(each: TranslationFigures) -> tuple[int, int, int, tuple[str, ...]]:
        return each.items, each.left_out, each.empty, each.segmenters

    lao = segmenter_of(get_language("lo"))
    assert counts(figures(run, "all")[""]) == (
        *(6, 0, 1),
        tuple(sorted(["lotsawa-tsheg-2", "zh", lao])),
    )
    assert {name: counts(each) for name, each in figures(run, "direction").items()} == {
        "bo-zh": (2, 0, 1, ("zh",)),
        "zh-bo": (2, 0, 0, ("lotsawa-tsheg-2",)),
        "zh-lo": (2, 0, 0, (lao,)),
    }
    assert {name: each.items for name, each in figures(run, "subject").items()} == {
        "Health": 3,
        "News": 3,
    }


def test_nothing_is_right_or_wrong_of_a_translation(run: Run) -> None:
    run.refresh_from_db()
    assert not Score.objects.filter(run=run).exists()
    assert (run.headline_method, run.headline_read) == ("", 0)
    results = results_json(run_results(run))
    assert (results["methods"], results["coverage"][0]["is_complete"]) == ({}, True)


def test_questions_without_an_answer_are_left_out(project: Project, release: Release) -> None:
    run = translated(project, release)
    gone = ModelResponse.objects.get(run=run, release_item__uid="bo-1")
    gone.translation_scores.all().delete()
    cache.clear()  # counts are never deleted otherwise

    found = figures(run, "direction")["zh-bo"]

    assert (found.items, found.left_out) == (1, 1)
    assert list(unscored(run)) == [gone]
    assert score_missing(run=run) == 1
    assert (figures(run, "direction")["zh-bo"].left_out, score_missing(run=run)) == (0, 0)


def test_epochs_of_an_item_count_as_one_item(project: Project, release: Release) -> None:
    once, twice = (translated(project, release, epochs=epochs) for epochs in (1, 2))

    found = figures(twice, "direction")["zh-bo"]

    assert (found.items, found.answers) == (2, 4)
    assert found.scores.bleu == pytest.approx(figures(once, "direction")["zh-bo"].scores.bleu)


def test_direction_whose_answers_were_cut_differently_has_no_bleu(run: Run) -> None:
    cut = TranslationScore.objects.filter(run=run, response__release_item__uid="lo-1")
    cut.update(segmenter="another")
    cache.clear()

    found = figures(run, "direction")

    assert {name: each.scores.bleu is None for name, each in found.items()} == {
        "bo-zh": False,
        "zh-bo": False,
        "zh-lo": True,
    }
    assert found["zh-lo"].scores.chrf is not None
    assert figures(run, "all")[""].scores.bleu is None
    table = translation_table(run)
    assert table.rows[0][6] == Estimate(None, None, None, 6, 0, Undefined.SEGMENTERS_DIFFER)


def test_mixed_run_scores_both_kinds_apart(project: Project, release: Release) -> None:
    run = translated(project, release, reply, "anchored", "translation")

    results = results_json(run_results(run))

    assert (results["items"], results["left_out"]) == (7, 0)
    assert list(results["methods"]) == ["anchored"]
    assert results["methods"]["anchored"]["overall"]["n"] == 1
    assert TranslationScore.objects.filter(run=run).count() == 6


def test_page_shows_the_scores_with_their_signatures_and_no_accuracy(
    client: Client, run: Run, project: Project
) -> None:
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)

    page = client.get(reverse("evaluation:run", args=[project.slug, run.pk])).content.decode()

    assert "chrF++" in page
    assert "tok:lotsawa-tsheg-2" in page
    assert "Accuracy" not in page


@pytest.mark.parametrize("name", ["csv", "latex", "markdown"])
def test_file_and_api_have_the_figures_of_the_page(
    client: Client, run: Run, project: Project, name: str
) -> None:
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    found = figures(run, "all")[""].scores.bleu
    assert found is not None

    file = client.get(reverse("evaluation:translation-file", args=[project.slug, run.pk, name]))
    export = client.get(f"/api/v1/runs/{run.pk}/translations/export/?format={name}")
    rows = client.get(f"/api/v1/runs/{run.pk}/translations/").json()["rows"]

    text = file.content.decode()
    assert b"".join(export.streaming_content).decode() == text  # type: ignore[attr-defined]
    assert f"{found.value:.2f}" in text or name == "csv"
    assert rows[0]["bleu"]["value"] == pytest.approx(found.value)
    if name == "csv":
        lines = list(csv.DictReader(StringIO(text)))
        assert [row["level"] for row in lines] == ["all", *["direction"] * 3, *["subject"] * 2]
        assert float(lines[0]["bleu"]) == pytest.approx(found.value)
        assert lines[1]["bleu_signature"].count("tok:zh") == 1


def test_queries_do_not_grow_with_translations(
    run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = Run.objects.select_related("release__project").get(pk=run.pk)
    cache.clear()
    with django_assert_num_queries(3):
        translation_figures(run)
    with django_assert_num_queries(1):
        translation_figures(run)


def test_shown_item_of_the_choice_kind_is_asked_as_ever(project: Project, release: Release) -> None:
    run = make_run(project, release, methods=("anchored", "translation"))
    uids = []

    def listening(request: ChatRequest) -> str:
        if "བསྒྱུར་རོགས" not in request.messages[-1].content:
            uids.append(asked_uid(request))
        return reply(request)

    work_off(run, listening)
    assert uids == ["history/test-0"]


def test_list_of_responses_marks_each_answer_in_the_language_that_it_translates_into(
    project: Project, manager: Client
) -> None:
    run = translated(project, make_translations(project))

    page = manager.get(reverse("evaluation:responses", args=["ti", run.pk])).content.decode()

    assert marks_of(page, "ນະຄອນຫຼວງ") == {("lo", "ltr")}
    assert marks_of(page, "拉萨是有很长历史") == {("zh", "ltr")}
