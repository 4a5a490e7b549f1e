"""Prompts have words of their own for translations, and answers from elsewhere are scored alike."""

import csv
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command

from annotation.models import Item, Revision
from endpoints.providers.base import ChatRequest, Message
from evaluation.models import Run
from evaluation.prompting.queries import preview_prompt
from evaluation.queries import asked_items
from evaluation.translation.queries import translation_figures
from languages import LANGUAGES, get_language
from projects.models import Project
from prompts.rendering import PromptItem, Template, TemplateError, default_template, render
from releases.models import Release
from tests.evaluation.builders import make_run, work_off
from tests.evaluation.translation.builders import (
    REPLIES,
    TEXTS,
    make_translations,
    reply,
    translated,
)

ITEM = PromptItem("你好 {x}", (), "every_day", languages=("Chinese", "Tibetan"))


@pytest.fixture
def release(project: Project) -> Release:
    return make_translations(project)


def with_frame(frame: str) -> Template:
    return replace(default_template("bo", "direct"), translation_frame=frame)


def test_own_frame_says_the_languages_and_leaves_the_text_as_it_is() -> None:
    frame = "{source_language} → {target_language} ({subject}): {question}"
    assert render(ITEM, template=with_frame(frame)) == (
        Message("user", "Chinese → Tibetan (every day): 你好 {x}"),
    )


ASKING = sorted(code for code, each in LANGUAGES.items() if each.translation_frame)


def test_languages_with_prompts_have_one_for_translations() -> None:
    assert sorted(code for code, each in LANGUAGES.items() if each.frames) == ASKING


@pytest.mark.parametrize("language", ASKING)
def test_built_in_frame_is_in_the_language_of_the_prompt(language: str) -> None:
    template = default_template(language, "direct")
    [message] = render(ITEM, template=template)
    said = get_language(language).translation_frame
    assert message.content.endswith("\n\n你好 {x}")
    assert all(name in message.content for name in ITEM.languages or ())
    assert render(ITEM, template=replace(template, translation_frame=said)) == (message,)


def test_language_without_words_asks_in_english() -> None:
    [message] = render(ITEM, template=default_template("de", "direct"))
    assert message.content.startswith("Translate this text from Chinese into Tibetan.")


@pytest.mark.parametrize(
    ("frame", "code"), [("{source_language}", "missing"), ("{question} {options}", "unknown")]
)
def test_frame_without_the_text_or_with_options_is_refused(frame: str, code: str) -> None:
    with pytest.raises(TemplateError) as caught:
        render(ITEM, template=with_frame(frame))
    assert caught.value.code == code


@pytest.mark.django_db
def test_preview_shows_a_translation(project: Project, release: Release) -> None:
    [shown] = preview_prompt(release, with_frame("{question}"), shots=1, uid="bo-1")
    assert [each.content for each in shown.messages] == ["谢谢。", "ཐུགས་རྗེ་ཆེ།", TEXTS["bo-1"][2]]


@pytest.mark.django_db
def test_item_without_a_reference_is_not_asked(release: Release) -> None:
    Revision.objects.filter(translation__item__uid="bo-1").update(answer="")
    asked = asked_items(release, ["translation"])
    assert [placed.uid for placed in asked] == ["bo-2", "lo-1", "lo-2", "zh-1", "zh-2"]


@pytest.mark.django_db
def test_direction_is_what_the_release_froze_whatever_item_and_project_say_later(
    project: Project, release: Release
) -> None:
    Item.objects.filter(uid="bo-1").update(metadata={"direction": "en-lo"})
    Project.objects.filter(pk=project.pk).update(source_language="en", target_language="mn")
    run = make_run(project, release, methods=("translation",))
    asked: list[str] = []

    def listening(request: ChatRequest) -> str:
        asked.append(request.messages[-1].content)
        return reply(request)

    work_off(run, listening)

    [first] = [text for text in asked if TEXTS["bo-1"][2] in text]
    assert "Chinese (中文, zh) ནས་ Tibetan (བོད་ཡིག, bo) ལ་" in first
    found = {each.name: each.items for each in translation_figures(run)}
    assert found["zh-bo"] == 2


@pytest.mark.django_db
def test_earlier_releases_get_the_directions_that_they_read_of_their_items(
    release: Release,
) -> None:
    columns = ("uid", "source_language", "target_language")
    before = list(release.items.order_by("pk").values_list(*columns))
    release.items.update(source_language="", target_language="")

    migration = import_module("releases.migrations.0020_fill_directions")
    migration.fill_directions(apps, None)

    assert list(release.items.order_by("pk").values_list(*columns)) == before
    assert ("lo-1", "zh", "lo") in before


@pytest.mark.django_db
def test_imported_translations_get_the_scores_of_those_that_were_asked(
    project: Project, release: Release, tmp_path: Path
) -> None:
    path = tmp_path / "answers.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "answer"), *REPLIES.items()])

    call_command(
        "import_run", project.slug, release.version, str(path),
        *("--format", "csv", "--model", "theirs", "--method", "translation"),
    )  # fmt: skip

    imported = Run.objects.get()
    assert imported.imported_from == "csv"
    assert translation_figures(imported) == translation_figures(translated(project, release))
