"""Prompts as YAML: what is written is read back, TLUE's configuration is read, faults are named."""

from dataclasses import replace

import pytest

from prompts.actions import check_prompt
from prompts.rendering import (
    CHAIN_OF_THOUGHT,
    DIRECT,
    ONE_TEXT,
    PromptItem,
    Template,
    default_template,
    render,
)
from prompts.starters import starter_named, starters, starters_for
from prompts.yaml_files import PromptFile, PromptFileError, read_prompt, write_prompt

FULL = Template(
    "bo", CHAIN_OF_THOUGHT, " yes ", "{question}\n\n{options}\n  #: {letters}", layout=ONE_TEXT,
    labels="script", option_line="({letter}) {option}", shot_frame="{question}{options}{answer}\n",
    shot_seed=0, prefill="ལན་ནི་ ", number_system="no", number_frame="{question}",
)  # fmt: skip
TLUE = """
prompt_config:
  max_shots: 5
  system_message: "ཁྱེད་"
  user_template: "{few_shots}\\n{content}\\nའདེམས།"
  few_shot_template: "{content}\\n{reply}"
process_config: {batch_size: 4}
model_configs: [{name: m, api_key: secret}]
"""
SLOTS = {
    "few_shots": "{examples}", "content": "{question}\n{options}", "reply": "{answer}",
}  # fmt: skip


@pytest.mark.parametrize("template", [FULL, default_template("lo", DIRECT)])
def test_written_prompt_is_read_back(template: Template) -> None:
    text = write_prompt("mine", template)

    assert read_prompt(text, language="en") == PromptFile("mine", template)


def test_prompt_with_only_a_frame_is_direct_and_in_the_language_of_the_project() -> None:
    found = read_prompt("frame: '{question}{options}'", language="mn")

    assert found == PromptFile("", Template("mn", DIRECT, "", "{question}{options}"))


def test_configuration_of_tlue_is_read_with_its_examples_in_one_text() -> None:
    found = read_prompt(TLUE, language="bo", slots=SLOTS)

    assert (found.name, found.shots) == ("", 5)
    check_prompt(found.template)
    item = PromptItem("Q", ("x", "y"), key="B")
    (_system, asked) = render(item, template=found.template, shots=[item])
    assert asked.content == "Q\nA. x\nB. y\nB\nQ\nA. x\nB. y\nའདེམས།"


def test_faults_of_a_file_are_named() -> None:
    faults = {
        "frame: [": "not YAML in line",
        "- frame": "must have fields",
        "": "must have fields",
        "name: x": "“frame” is missing",
        "frame: 7": "“frame” must be text",
        "frame: x\nshot_seed: no": "“shot_seed” must be a whole number",
        "frame: x\ntemperature: 1": "no field “temperature”",
        "prompt_config: {max_shots: 5}": "user_template",
        "prompt_config: {user_template: x, system_message: [1]}": "must be text",
        "frame: !!python/object:os.system x": "not YAML",
        "frame: " + "x" * 100_000: "larger than 100 kB",
    }
    for text, words in faults.items():
        with pytest.raises(PromptFileError) as caught:
            read_prompt(text, language="en")
        assert words in str(caught.value), text[:40]


def test_starters_can_be_used_and_those_of_the_language_come_first() -> None:
    item = PromptItem("How many?", ("one", "two"), subject="world_history", key="A")
    for starter in starters():
        check_prompt(starter.template)
        assert starter.description, starter.name
        for shots in ([], [item, item]):
            asked = "\n".join(
                turn.content for turn in render(item, template=starter.template, shots=shots)
            )
            assert asked.count("How many?") == 1 + len(shots), starter.name
            assert "{" not in asked, starter.name
    assert [each.name for each in starters()] == [
        "cmmlu", "laobench", "mm-eval", "tlue", "tmlu-cot", "tmlu",
    ]  # fmt: skip
    assert starters_for("bo")[0].name == "tlue"
    assert starters_for("zh-Hant")[0].template.language == "zh-Hant"
    assert starter_named("nothing") is None


def test_texts_of_several_lines_are_blocks() -> None:
    text = write_prompt("mine", replace(default_template("en", DIRECT), system="a\nb"))

    assert "system: |-\n  a\n  b\n" in text
