"""Which guideline applies; nothing here writes."""

from collections import Counter

from django.conf import settings
from django.utils.translation import gettext, override

from projects.criteria import Criteria
from projects.enums import JUDGES
from projects.models import Membership, Project
from review.guidelines.default import first_rubric, first_text
from review.models import (
    Guideline,
)


def guideline_in_force(project: Project) -> Guideline:
    """The latest version; until there is one, what every project starts with, as version 0.

    That one is not stored: it becomes version 1 when the first round opens.
    """
    latest = project.guidelines.order_by("-version").first()
    return latest or _first_guideline(project)


def language_of_judges(project: Project) -> str:
    """The language in which most of a project's judges read the pages, else that of this site.

    Of languages that as many read, the one that comes first in the settings.
    """
    judges = Membership.objects.filter(project=project).in_role(*JUDGES).working()
    count = Counter(judges.values_list("user__language", flat=True))
    codes = [code for code, _name in settings.LANGUAGES]
    best = max(codes, key=lambda code: (count[code], -codes.index(code)))
    return best if count[best] else settings.LANGUAGE_CODE


def translated_rubric(criteria: Criteria, language: str) -> dict[str, list[str]]:
    """The first rubric of the criteria: the texts of the default ones in `language`, others as they stand."""
    with override(language):
        return {
            name: [gettext(text) for text in texts]
            for name, texts in first_rubric(criteria).items()
        }


def translated_text(*, is_monolingual: bool, language: str) -> str:
    """The first text of a guideline in a language of the pages."""
    with override(language):
        return gettext(first_text(is_monolingual=is_monolingual))


def _first_guideline(project: Project) -> Guideline:
    language = language_of_judges(project)
    return Guideline(
        project=project,
        version=0,
        text=translated_text(is_monolingual=project.is_monolingual, language=language),
        rubric=translated_rubric(project.criteria, language),
    )
