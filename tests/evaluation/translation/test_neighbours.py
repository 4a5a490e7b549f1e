"""Pages and files that know right and wrong answers have room for translations."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from sacrebleu.metrics import BLEU, CHRF

from evaluation.management.run_here import result_text, run_result
from evaluation.models import ModelResponse, Run
from evaluation.outside.exporting import exported_file
from evaluation.results.queries.subsets import cells_of
from evaluation.runs.actions import RunSettings
from evaluation.runs.estimates import estimate_run
from evaluation.translation.queries import sentence_figures, translation_figures
from languages import get_language
from projects.enums import Role
from projects.models import Project
from prompts.queries import known_prompts
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from scoring.segmenters import tokens_of
from tests.evaluation.audits.builders import drawn, sample
from tests.evaluation.builders import NOW
from tests.evaluation.translation.builders import (
    REPLIES,
    TEXTS,
    make_translations,
    reply,
    translated,
)
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(project: Project) -> Release:
    return make_translations(project)


@pytest.fixture
def run(project: Project, release: Release) -> Run:
    return translated(project, release)


def test_translations_are_on_no_leaderboard(run: Run) -> None:
    assert sum(cell.read for cell in cells_of([run])[run.pk].values()) == 0


def test_audit_of_a_mixed_run_draws_no_translation(project: Project, release: Release) -> None:
    audit = drawn(translated(project, release, reply, "anchored", "translation"))
    assert [row.response.release_item.uid for row in sample(audit)] == ["history/test-0"]
    audit.job.refresh_from_db()
    assert (audit.job.done, audit.job.total) == (1, 1)


def test_pages_of_responses_show_what_was_asked(client: Client, project: Project, run: Run) -> None:
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    response = ModelResponse.objects.get(run=run, release_item__uid="lo-1")
    addresses = [
        reverse("evaluation:responses", args=[project.slug, run.pk]),
        reverse("evaluation:response", args=[project.slug, run.pk, response.pk]),
        reverse("evaluation:runs", args=[project.slug]),
        f"/api/v1/runs/{run.pk}/responses/{response.pk}/",
    ]

    pages = [client.get(address) for address in addresses]

    assert [page.status_code for page in pages] == [200] * 4
    assert f'lang="lo">{TEXTS["lo-1"][3]}' in pages[1].content.decode()
    assert "Chinese (中文, zh) ནས་ Lao (ລາວ, lo) ལ་" in pages[3].json()["messages"][0]["content"]
    found = pages[3].json()
    assert "Sentence-level scores" in pages[1].content.decode()
    sentence = found["sentence"]
    assert sentence["direction"] == "zh-lo"
    cut = [
        " ".join(tokens_of(text, get_language("lo")))
        for text in (REPLIES["lo-1"], TEXTS["lo-1"][3])
    ]
    bleu = BLEU(tokenize="none", effective_order=True).sentence_score(cut[0], [cut[1]])
    chrf = CHRF(word_order=2).sentence_score(REPLIES["lo-1"].strip(), [TEXTS["lo-1"][3]])
    assert (sentence["bleu"], sentence["chrf"]) == pytest.approx((bleu.score, chrf.score))
    assert 0 < sentence["bleu"] < 100
    assert (found["reference"], found["readings"]) == (TEXTS["lo-1"][3], [])


def test_run_as_json_has_the_scores_of_its_translations_and_commands_print_them(
    client: Client, project: Project, run: Run
) -> None:
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    rows = client.get(f"/api/v1/runs/{run.pk}/translations/").json()["rows"]

    result = run_result(run)
    told = client.get(f"/api/v1/runs/{run.pk}/").json()["results"]["translation_scores"]

    assert result["translation_scores"] == told == rows
    assert (rows[0]["group"], rows[0]["n"]) == ("all", 6)
    values = [rows[0][name]["value"] for name in ("bleu", "chrf")]
    assert f"all: BLEU {values[0]:.2f}  chrF++ {values[1]:.2f}  n 6" in result_text(result)


def test_run_without_translations_has_no_such_scores(project: Project, release: Release) -> None:
    run = translated(project, release, reply, "anchored")
    assert run_result(run)["translation_scores"] == []


def text_of(run: Run, file: str, *, with_hidden: bool = True) -> str:
    return "".join(exported_file(run, file, with_hidden=with_hidden)[2])


def test_results_for_the_harness_have_the_scores_of_the_corpus(run: Run) -> None:
    found = translation_figures(run)[0].scores
    assert found.bleu is not None and found.chrf is not None

    told = json.loads(text_of(run, "lm_eval_results"))

    [results] = told["results"].values()
    assert results["bleu,translation"] == pytest.approx(found.bleu.value)
    assert results["chrf++,translation"] == pytest.approx(found.chrf.value)
    assert 0 < results["bleu_stderr,translation"] < found.bleu.high - found.bleu.low
    [configuration] = told["configs"].values()
    assert [each["metric"] for each in configuration["metric_list"]] == ["bleu", "chrf++"]
    assert configuration["filter_list"] == [{"name": "translation"}]
    assert "tok:lotsawa-tsheg-2" in configuration["metadata"]["bleu_signature"]


def test_samples_for_other_programs_have_sentence_level_scores(run: Run) -> None:
    response = ModelResponse.objects.get(run=run, release_item__uid="lo-1")
    sentence = sentence_figures(response)
    assert sentence is not None

    lines = [json.loads(line) for line in text_of(run, "lm_eval").splitlines()]
    log = json.loads(text_of(run, "inspect"))

    line = next(each for each in lines if each["doc"]["id"] == "lo-1")
    assert (line["filter"], line["target"]) == ("translation", TEXTS["lo-1"][3])
    assert line["metrics"] == ["sentence_bleu", "sentence_chrf++"]
    values = [line[name] for name in line["metrics"]]
    assert values == pytest.approx([sentence.scores.bleu, sentence.scores.chrf])
    sample = next(each for each in log["samples"] if each["id"] == "lo-1")
    assert list(sample["scores"]["translation"]["value"].values()) == values
    [score] = log["results"]["scores"]
    assert score["metrics"]["chrf++"]["value"] > 0
    assert (score["scored_samples"], score["unscored_samples"]) == (6, 0)


def test_exports_without_hidden_items_have_the_scores_of_the_others(run: Run) -> None:
    ReleaseItem.objects.filter(uid="zh-2").update(subset=Subset.BLACK_BOX)
    whole, open_part = (
        json.loads(text_of(run, "inspect", with_hidden=with_hidden))["results"]["scores"][0]
        for with_hidden in (True, False)
    )
    assert (whole["scored_samples"], open_part["scored_samples"]) == (6, 5)
    assert whole["metrics"]["bleu"]["value"] < open_part["metrics"]["bleu"]["value"]


@pytest.mark.parametrize(("file", "format_"), [("lm_eval", "lm_eval"), ("inspect", "inspect")])
def test_exported_translations_are_imported_with_the_same_scores(
    run: Run, tmp_path: Path, file: str, format_: str
) -> None:
    name, _media_type, pieces = exported_file(run, file, with_hidden=True)
    (tmp_path / name).write_text("".join(pieces), encoding="utf-8")
    release = run.release

    call_command(
        "import_run", release.project.slug, release.version, str(tmp_path / name),
        *("--format", format_, "--model", "theirs", "--method", "translation"),
    )  # fmt: skip

    imported = Run.objects.get(imported_from=format_)
    assert translation_figures(imported) == translation_figures(run)


def test_estimate_counts_translations_with_queries_for_all_at_once(
    run: Run, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    prompt = known_prompts(run.release.project, now=NOW)[0]
    settings = RunSettings(methods=("translation",), is_asked_again=True, shots=1)
    release = Release.objects.get(pk=run.release_id)

    with django_assert_max_num_queries(15):
        found = estimate_run(
            release=release, model_spec=run.model_spec, prompt=prompt, settings=settings
        )

    assert (found.items, found.calls) == (6, 6)
