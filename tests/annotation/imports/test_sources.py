"""Where items and translations come from: licence and attribution reach the project."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.checks.queries import systems_of
from annotation.imports.actions import SourceAddressInvalid, start_import
from annotation.imports.opening import ImportOptions
from annotation.models import ImportJob, Item, Translation
from projects.models import Project, Source
from tests.annotation.imports.test_actions import item_row, run_import, write_items
from tests.factories import UserFactory


def plain_items(count: int) -> list[dict[str, Any]]:
    return [
        {k: v for k, v in item_row(n).items() if "translation" not in k and k != "system"}
        for n in range(count)
    ]


def text(number: int, system: str) -> dict[str, Any]:
    return {"uid": f"law/{number}", "system": system, "question": "དྲི་བ།", "options": [*"ཀཁགང"]}


def test_translation_import_keeps_licence_attribution_version_and_address(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "items.jsonl", plain_items(1)))

    run_import(
        project,
        write_items(tmp_path / "tlue.jsonl", [text(0, "tlue")]),
        licence="CC BY-NC-SA 4.0",
        attribution="Gao et al.",
        version="v1.2",
        url="https://example.org/tlue",
    )

    source = Translation.objects.get().source
    assert (source.name, source.system, source.revision) == ("tlue.jsonl", "tlue", "v1.2")
    assert (source.licence, source.attribution) == ("CC BY-NC-SA 4.0", "Gao et al.")
    assert source.url == "https://example.org/tlue"


def test_file_with_two_systems_makes_a_source_for_each_and_one_for_its_items(
    project: Project, tmp_path: Path
) -> None:
    rows = [item_row(0, system="a"), item_row(1, system="b")]

    run_import(project, write_items(tmp_path / "a.jsonl", rows), licence="MIT")

    found = Source.objects.order_by("system").values_list("system", "licence")
    assert list(found) == [("", "MIT"), ("a", "MIT"), ("b", "MIT")]


def test_same_file_again_with_a_licence_fills_it_in_and_keeps_what_was_said(
    project: Project, tmp_path: Path
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(0), item_row(1, key="Z")])
    run_import(project, path, is_skipping_refused=True, licence="MIT", version="1")
    write_items(path, [item_row(0), item_row(1)])

    run_import(project, path, licence="GPL", attribution="Somebody", version="1")

    source = Source.objects.get(system="")
    assert (source.licence, source.attribution) == ("MIT", "Somebody")


@pytest.mark.parametrize(("option", "system"), [("", "ti_mmlu"), ("tlue", "tlue")])
def test_format_that_supplies_a_system_name_yields_to_the_option(
    project: Project, tmp_path: Path, option: str, system: str
) -> None:
    run_import(project, write_items(tmp_path / "items.jsonl", plain_items(1)))
    row = {"loc": "law0", "polished_ti_content": "དྲི།\nA. ཀ\nB. ཁ\nC. ག\nD. ང", "answer": "A"}

    run_import(project, write_items(tmp_path / "law.jsonl", [row]), system=option)

    assert Item.objects.get().working_translation.system == system


def test_row_that_names_its_system_keeps_it_whatever_the_option_says(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "items.jsonl", plain_items(1)))

    run_import(project, write_items(tmp_path / "t.jsonl", [text(0, "ti_mmlu")]), system="other")

    assert Translation.objects.get().system == "ti_mmlu"


def test_systems_are_those_of_the_sources_in_alphabetical_order(
    project: Project, tmp_path: Path, django_assert_num_queries: Any
) -> None:
    run_import(project, write_items(tmp_path / "items.jsonl", plain_items(2)))
    for number, system in ((0, "nllb"), (0, "google"), (1, "nllb")):
        name = f"{system}{number}.jsonl"
        run_import(project, write_items(tmp_path / name, [text(number, system)]))

    with django_assert_num_queries(1) as queries:
        assert systems_of(project) == ["google", "nllb"]

    assert Translation._meta.db_table not in queries.captured_queries[0]["sql"]


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "www.example.org/data", "ftp://example.org/a"]
)
def test_address_that_is_not_of_the_web_is_refused_in_the_action(
    project: Project, tmp_path: Path, url: str
) -> None:
    path = write_items(tmp_path / "items.jsonl", plain_items(1))
    with pytest.raises(SourceAddressInvalid):
        run_import(project, path, url=url)
    with path.open("rb") as file, pytest.raises(SourceAddressInvalid):
        start_import(
            project=project, file=file, name="items.jsonl", options=ImportOptions(url=url),
            actor=UserFactory(), now=timezone.now(),
        )  # fmt: skip
    assert not Source.objects.exists() and not ImportJob.objects.exists()
    with pytest.raises(CommandError, match="https://"):
        call_command("import_items", project.slug, str(path), "--source-url", url)
    assert not Source.objects.exists()
