"""Runs are compared on the items that all translated, in pairs by the paired bootstrap of sacrebleu."""

import json

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from endpoints.providers.base import ChatRequest
from evaluation.comparisons.catalogue import TABLES, TRANSLATION_TABLES
from evaluation.comparisons.selectors import RunsNotComparable, comparison_of
from evaluation.comparisons.translations import translation_pairs_table, translations_table
from evaluation.models import Run, TranslationScore
from evaluation.results.actions import keep_figures
from projects.enums import Role
from projects.models import Project
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from scoring.pairs import holm
from tests.evaluation.builders import make_run, work_off
from tests.evaluation.translation.builders import (
    REPLIES,
    TEXTS,
    make_translations,
    reply,
    translated,
)
from tests.factories import MembershipFactory, ModelSpecFactory

pytestmark = pytest.mark.django_db
OTHER = REPLIES | {"zh-1": "拉萨是历史悠久的城市。", "zh-2": "每天晚上要好好睡觉。", "lo-1": ""}


@pytest.fixture
def release(project: Project) -> Release:
    return make_translations(project)


@pytest.fixture
def runs(project: Project, release: Release) -> list[Run]:
    def other(request: ChatRequest) -> str:
        return reply(request, OTHER)

    first = translated(project, release)
    spec = ModelSpecFactory(project=project, name="other")
    second = make_run(project, release, spec=spec, methods=("translation",))
    work_off(second, other)
    return [first, second]


def test_runs_stand_side_by_side_on_shared_items_by_direction(runs: list[Run]) -> None:
    table = translations_table(comparison_of(runs))

    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert [(row["group"], row["n"], row["empty"]) for row in rows] == [
        *(("all", 6, 1), ("all", 6, 1)),
        *(("bo-zh", 2, 1), ("bo-zh", 2, 0)),
        *(("zh-bo", 2, 0), ("zh-bo", 2, 0)),
        *(("zh-lo", 2, 0), ("zh-lo", 2, 1)),
    ]
    assert rows[2]["bleu_signature"].count("tok:zh|") == 1


def test_pair_has_the_difference_and_p_of_sacrebleu(runs: list[Run]) -> None:
    uids = ["zh-1", "zh-2"]
    references = [TEXTS[uid][3] for uid in uids]
    systems = [("first", [REPLIES[uid] for uid in uids]), ("second", [OTHER[uid] for uid in uids])]
    names, results = PairedTest(
        systems, {"BLEU": BLEU(tokenize="zh", force=True)}, [references], test_type="bs"
    )()
    first, second = results[next(iter(names))]

    table = translation_pairs_table(comparison_of(runs, "translation"))

    columns = [column.name for column in table.columns]
    rows = {row[0]: dict(zip(columns, row, strict=True)) for row in table.rows}
    found = rows["bo-zh"]
    assert (found["bleu_first"], found["bleu_second"]) == pytest.approx((first.score, second.score))
    assert found["bleu_p"] == pytest.approx(second.p_value)
    assert found["bleu_difference"].value == pytest.approx(first.score - second.score)
    assert [row["bleu_p_holm"] for row in rows.values()] == pytest.approx(
        holm([row["bleu_p"] for row in rows.values()])
    )
    assert (rows["zh-bo"]["bleu_p"], rows["zh-bo"]["chrf_p"]) == (1, 1)


def test_texts_that_were_cut_differently_have_no_bleu(
    client: Client, project: Project, runs: list[Run]
) -> None:
    cut = TranslationScore.objects.filter(run=runs[1], direction="zh-lo")
    cut.update(segmenter="lotsawa-lao-0-laonlp-1.2.0")
    cache.clear()  # what was kept when the run ended; counts never change otherwise
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    query = {"runs": ",".join(str(run.pk) for run in runs)}
    address = f"/api/v1/projects/{project.slug}/comparisons/"

    scores = client.get(address, query).json()["rows"]
    pairs = client.get(address, query | {"table": "translation-pairs"}).json()["rows"]
    page = client.get(reverse("evaluation:comparison", args=[project.slug]), query).content.decode()

    assert [(row["group"], row["bleu"]["undefined"], row["chrf"]["undefined"]) for row in scores] == [
        *[("all", "segmenters_differ", None)] * 2,
        *[("bo-zh", None, None)] * 2,
        *[("zh-bo", None, None)] * 2,
        *[("zh-lo", "segmenters_differ", None)] * 2,
    ]  # fmt: skip
    p_values = {row["group"]: (row["bleu_p"], row["bleu_p_holm"]) for row in pairs}
    assert {name for name, values in p_values.items() if None in values} == {"all", "zh-lo"}
    assert "tok:lotsawa-lao-0-laonlp-1.2.0" in pairs[-1]["bleu_signature"]
    assert "different segmenters cut these texts" in page


def test_hidden_items_are_left_out_for_who_does_not_manage_the_project(
    project: Project, runs: list[Run]
) -> None:
    viewer = MembershipFactory(project=project, role=Role.VIEWER).user
    ReleaseItem.objects.filter(uid="zh-1").update(subset=Subset.BLACK_BOX)

    assert len(comparison_of(runs, user=viewer).items) == 5
    assert len(comparison_of(runs).items) == 6


def test_comparison_of_finished_runs_draws_nothing_anew(
    project: Project, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = MembershipFactory(project=project, role=Role.VIEWER).user
    ReleaseItem.objects.filter(uid="zh-1").update(subset=Subset.BLACK_BOX)
    for run in runs:
        keep_figures(run)
    monkeypatch.setattr("evaluation.translation.queries.draw_texts", None)

    for found in (comparison_of(runs), comparison_of(runs, user=viewer)):
        assert len(translations_table(found).rows) == 8
        assert len(translation_pairs_table(found).rows) == 4


@pytest.mark.parametrize("table", ["", *TRANSLATION_TABLES])
def test_page_file_api_and_command_have_the_same_table(
    client: Client,
    project: Project,
    runs: list[Run],
    table: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    query = {"runs": ",".join(str(run.pk) for run in runs), **({"table": table} if table else {})}
    name = table or "translations"

    page = client.get(reverse("evaluation:comparison", args=[project.slug]), query)
    file = client.get(reverse("evaluation:comparison-file", args=[project.slug, "latex"]), query)
    api = client.get(f"/api/v1/projects/{project.slug}/comparisons/", query).json()
    numbers = [str(run.pk) for run in runs]
    call_command(
        "compare_runs", project.slug, *numbers, *(["--table", table] if table else []), "--json"
    )

    said = page.content.decode()
    assert [each[0] for each in page.context["table_names"]] == list(TRANSLATION_TABLES)
    assert ("chrF++" in said, "Items that differ" in said) == (True, False)
    assert f"tab:{name}" in file.content.decode()
    assert api["table"] == name
    assert json.loads(capsys.readouterr().out)["rows"] == api["rows"]


def test_answers_to_translations_are_on_no_page_of_differences(
    client: Client, project: Project, runs: list[Run]
) -> None:
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    query = {"runs": ",".join(str(run.pk) for run in runs)}
    assert client.get(reverse("evaluation:flips", args=[project.slug]), query).status_code == 400


def test_graded_tables_stay_with_runs_that_have_both(
    client: Client, project: Project, release: Release
) -> None:
    runs = [
        translated(project, release, reply, "anchored", "translation", epochs=epochs)
        for epochs in (1, 2)
    ]
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    query = {"runs": ",".join(str(run.pk) for run in runs)}
    address = reverse("evaluation:comparison", args=[project.slug])

    graded = client.get(address, query | {"table": "runs", "method": "translation"})
    scores = client.get(address, query | {"table": "translations", "method": "anchored"})

    assert [each[0] for each in graded.context["table_names"]] == [*TABLES, *TRANSLATION_TABLES]
    assert (graded.context["method"], graded.context["table"]) == ("anchored", "runs")
    assert (scores.context["method"], scores.context["table"]) == ("translation", "translations")


def test_runs_without_translations_are_refused_in_words(
    project: Project, release: Release, runs: list[Run]
) -> None:
    choice = translated(project, release, reply, "anchored")
    with pytest.raises(RunsNotComparable) as caught:
        comparison_of([runs[0], choice], "translation")
    assert caught.value.fields["runs"] == [f"Run {choice.pk} asks for no translations."]
