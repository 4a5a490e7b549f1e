"""One language has one tag, however it was typed."""

from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from projects import actions
from projects.enums import Role
from projects.models import Project


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("BO", "bo"), ("zh-hant", "zh-Hant"), ("ZH-HANT-tw", "zh-Hant-TW"), ("mn-Cyrl", "mn-Cyrl")],
)
def test_project_keeps_the_usual_form_of_a_language_tag(db: None, typed: str, kept: str) -> None:
    project = actions.create_project(
        slug="p",
        name="P",
        source_language="EN",
        target_language=typed,
        manager=None,
        actor=None,
        now=timezone.now(),
    )

    project.refresh_from_db()
    assert (project.source_language, project.target_language) == ("en", kept)


def test_member_keeps_the_usual_form_of_language_tags(
    project: Project, member: Callable[..., User]
) -> None:
    place = project.memberships.get(user=member(Role.REVIEWER))

    actions.change_member(
        membership=place,
        role=Role.REVIEWER,
        languages=["BO", "bo", "ZH-hant"],
        subjects=[],
        actor=None,
        now=timezone.now(),
    )

    place.refresh_from_db()
    assert place.languages == ["bo", "zh-Hant"]


def test_create_project_again_with_a_tag_in_capitals_changes_nothing(db: None) -> None:
    words = ("create_project", "p", "--name", "P", "--source-language", "zh")
    call_command(*words, "--target-language", "bo")
    call_command(*words, "--target-language", "BO")

    assert Project.objects.get().target_language == "bo"


def test_create_project_again_with_another_description_is_refused(db: None) -> None:
    words = ("create_project", "p", "--name", "P", "--source-language", "zh")
    call_command(*words, "--target-language", "bo", "--description", "one")

    with pytest.raises(CommandError, match="already a project"):
        call_command(*words, "--target-language", "bo", "--description", "two")

    assert Project.objects.get().description == "one"
