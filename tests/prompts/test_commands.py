"""Prompts by command: a file goes in, and the same comes out."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project
from prompts.models import PromptTemplate
from prompts.queries import template_of
from prompts.starters import FOLDER, starter_named

pytestmark = pytest.mark.django_db


def call(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_starter_goes_in_and_comes_out_and_is_revised(project: Project, tmp_path: Path) -> None:
    said = call("import_prompt", "ti", str(FOLDER / "tmlu.yaml"))
    starter = starter_named("tmlu")
    assert starter is not None
    assert said == "prompt tmlu, revision 1\n"
    assert template_of(PromptTemplate.objects.get(name="tmlu")) == starter.template

    file = tmp_path / "mine.yaml"
    file.write_text(call("export_prompt", "ti", "tmlu") + "shot_seed: 5\n", encoding="utf-8")
    assert call("import_prompt", "ti", str(file), "--revise") == "prompt tmlu, revision 2\n"
    assert PromptTemplate.objects.get(name="tmlu", revision=2).shot_seed == 5


def test_file_without_a_name_gets_its_own_and_the_shots_of_tlue_are_told(
    project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "prompt_config: {max_shots: 5, user_template: '{q}', few_shot_template: '{q} {answer}'}",
        encoding="utf-8",
    )

    said = call("import_prompt", "ti", str(file), "--slot", r"q={question}\n{options}")

    assert said == (
        "prompt config, revision 1\nThe file asks for 5 examples: start runs with --shots.\n"
    )
    assert PromptTemplate.objects.get(name="config").frame == "{question}\n{options}"


def test_refusals_name_the_file_or_the_prompt(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("frame: '{question} {options} {key}'", encoding="utf-8")
    with pytest.raises(CommandError, match=r"no placeholder \{key\}"):
        call("import_prompt", "ti", str(file))
    file.write_bytes(b"\xff")
    with pytest.raises(CommandError, match="not UTF-8"):
        call("import_prompt", "ti", str(file))
    file.write_text("system: x", encoding="utf-8")
    with pytest.raises(CommandError, match=r"bad\.yaml: The field “frame” is missing"):
        call("import_prompt", "ti", str(file))
    with pytest.raises(CommandError, match="no prompt “other”"):
        call("export_prompt", "ti", "other")
