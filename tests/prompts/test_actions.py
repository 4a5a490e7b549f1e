"""Prompts are stored once, change only by revisions, and are refused where no item fits into them."""

from dataclasses import replace
from typing import Any

import pytest

from accounts.models import AuditEvent
from projects.models import Project
from prompts.actions import (
    PromptInvalid,
    PromptNameInvalid,
    PromptNameTaken,
    PromptOutdated,
    PromptTooLong,
    PromptUnchanged,
    check_prompt,
    create_prompt,
    ensure_default_prompts,
    revise_prompt,
)
from prompts.models import PromptTemplate
from prompts.queries import known_prompts, revisions_of, template_of
from prompts.rendering import Template
from prompts.selectors import get_prompt
from tests.evaluation.builders import NOW

PLAIN = Template("en", "direct", "Answer.", "{question}\n{options}\n[{letters}]")

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_default_prompts_are_made_once_in_the_target_language(project: Project) -> None:
    before = known_prompts(project, now=NOW)
    assert [(prompt.name, prompt.pk) for prompt in before] == [
        ("direct", None), ("chain-of-thought", None),
    ]  # fmt: skip

    ensure_default_prompts(project=project, now=NOW)
    ensure_default_prompts(project=project, now=NOW)

    assert PromptTemplate.objects.count() == 2
    assert {prompt.language for prompt in PromptTemplate.objects.all()} == {"bo"}
    assert [prompt.name for prompt in known_prompts(project, now=NOW)] == [
        "direct", "chain-of-thought",
    ]  # fmt: skip


def test_created_prompt_is_the_first_revision_and_is_audited(project: Project) -> None:
    prompt = create_prompt(project=project, name="mine", template=PLAIN, actor=None, now=NOW)

    assert (prompt.revision, template_of(prompt)) == (1, PLAIN)
    assert get_prompt(project, "mine") == prompt
    event = AuditEvent.objects.get(verb="prompt.created")
    assert event.data == {"name": "mine", "revision": 1}


def test_revised_prompt_leaves_the_first_revision_as_it_was(project: Project) -> None:
    first = create_prompt(project=project, name="mine", template=PLAIN, actor=None, now=NOW)
    changed = replace(PLAIN, layout="text", shot_seed=7)

    second = revise_prompt(prompt=first, revision=1, template=changed, actor=None, now=NOW)

    first.refresh_from_db()
    assert (second.revision, template_of(second)) == (2, changed)
    assert template_of(first) == PLAIN
    assert list(revisions_of(project, "mine")) == [second, first]
    assert get_prompt(project, "mine") == second
    assert AuditEvent.objects.filter(verb="prompt.revised").count() == 1


def test_built_in_prompt_that_is_not_stored_yet_can_be_revised(project: Project) -> None:
    direct = known_prompts(project, now=NOW)[0]

    revised = revise_prompt(prompt=direct, revision=1, template=PLAIN, actor=None, now=NOW)

    assert (revised.name, revised.revision) == ("direct", 2)


def test_prompt_that_cannot_be_used_is_refused_with_its_fault(project: Project) -> None:
    faults: list[tuple[dict[str, Any], str]] = [
        ({"frame": "{question}"}, "{options}"),
        ({"frame": "{question} {options} {examples}"}, "{examples}"),
        ({"frame": "{question} {options} {key}"}, "{key}"),
        ({"system": "{options"}, "brace"),
        ({"option_line": "{option}"}, "The option line must contain {letter}"),
        ({"option_line": "{letter} {option} {question}"}, "{question}"),
        ({"shot_frame": "{question} {options} {answer}"}, "{answer}"),
        ({"layout": "text", "shot_frame": "{question} {options}"}, "{answer}"),
        ({"number_frame": "{options}"}, "{options}"),
        ({"number_frame": "How many?"}, "{question}"),
        ({"number_system": "{letters}"}, "{letters}"),
        ({"labels": "script"}, "no letters of its own"),
        ({"labels": "roman"}, "roman"),
        ({"layout": "page"}, "page"),
        ({"style": "poem"}, "poem"),
        ({"language": "Tibetan language"}, "language"),
        ({"shot_seed": -1}, "seed"),
        ({"shot_seed": 2**31}, "seed"),
    ]
    for change, words in faults:
        with pytest.raises(PromptInvalid) as caught:
            create_prompt(
                project=project, name="x", template=replace(PLAIN, **change), actor=None, now=NOW
            )
        assert words in str(caught.value), change
    with pytest.raises(PromptTooLong):
        check_prompt(replace(PLAIN, prefill="x" * 20_000))
    assert not PromptTemplate.objects.filter(name="x").exists()


def test_names_that_are_taken_or_do_not_fit_into_an_address_are_refused(project: Project) -> None:
    create_prompt(project=project, name="mine", template=PLAIN, actor=None, now=NOW)
    for name in ("mine", "direct", "chain-of-thought", "translation", "screen-keys", "elsewhere"):
        with pytest.raises(PromptNameTaken):
            create_prompt(project=project, name=name, template=PLAIN, actor=None, now=NOW)
    for name in ("", "a/b", "ཀ", "a b", "x" * 101):
        with pytest.raises(PromptNameInvalid):
            create_prompt(project=project, name=name, template=PLAIN, actor=None, now=NOW)


def test_unchanged_and_outdated_revisions_are_refused(project: Project) -> None:
    first = create_prompt(project=project, name="mine", template=PLAIN, actor=None, now=NOW)
    with pytest.raises(PromptUnchanged):
        revise_prompt(prompt=first, revision=1, template=PLAIN, actor=None, now=NOW)
    changed = replace(PLAIN, system="")
    revise_prompt(prompt=first, revision=1, template=changed, actor=None, now=NOW)

    with pytest.raises(PromptOutdated):
        revise_prompt(prompt=first, revision=1, template=PLAIN, actor=None, now=NOW)
