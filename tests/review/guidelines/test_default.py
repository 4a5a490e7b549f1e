"""The guideline that a project starts with: in the language that its judges read."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.utils.translation import override

from accounts.models import User
from projects.criteria import DEFAULT_CRITERIA
from projects.enums import Role
from projects.models import Project
from review.guidelines.queries import (
    guideline_in_force,
    language_of_judges,
    translated_rubric,
    translated_text,
)

Member = Callable[..., User]


@pytest.mark.django_db
def test_first_guideline_is_in_the_language_of_most_judges(
    project: Project, member: Member
) -> None:
    assert language_of_judges(project) == settings.LANGUAGE_CODE
    people = [member(Role.REVIEWER), member(Role.SENIOR), member(Role.MANAGER)]
    for user, language in zip(people, ("zh-hans", "zh-hans", "en"), strict=True):
        user.language = language
        user.save()

    with override("en"):
        guideline = guideline_in_force(project)

    assert guideline.text.startswith("# 如何评审")
    assert guideline.rubric["domain"][0] == "完全是另一个学科，认不出这道题。"
    people[0].language = people[1].language = "en"
    for user in people[:2]:
        user.save()
    assert guideline_in_force(project).text.startswith("# How to judge")


def test_every_text_of_the_first_guideline_is_translated() -> None:
    for code, _name in settings.LANGUAGES[1:]:
        texts = [translated_text(is_monolingual=each, language=code) for each in (True, False)]
        english = [translated_text(is_monolingual=each, language="en") for each in (True, False)]
        rubrics = [translated_rubric(DEFAULT_CRITERIA, each) for each in (code, "en")]
        assert not set(texts) & set(english)
        for name, levels in rubrics[0].items():
            assert not set(levels) & set(rubrics[1][name])
