"""Where practice items come from: sound items of the project, else three that everybody can read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.enums import TranslationState
from annotation.models import Item
from languages.letters import letter_of
from projects.models import Project
from review.enums import RoundState
from review.models import Panel
from review.practice.items import COUNT, PracticeItem, PracticeText, practice_items

LOOKED_AT = 100


@dataclass(frozen=True, slots=True)
class Practice:
    """The practice items of a project and the languages of their texts.

    `are_own` says that they come from the project. Others have both texts in the reader's language.
    """

    items: Sequence[PracticeItem]
    are_own: bool
    source_language: str
    target_language: str


def practice_of(project: Project) -> Practice:
    texts, are_own = texts_of(project)
    languages = (project.source_language, project.target_language)
    reader = get_language() or settings.LANGUAGE_CODE
    return Practice(practice_items(texts), are_own, *(languages if are_own else (reader, reader)))


def texts_of(project: Project) -> tuple[list[PracticeText], bool]:
    """Three texts to practise on, and whether they are the project's own.

    Looks at the first items of the project alone: approved, without findings, and in no round that
    is open, where somebody could be asked to judge them.
    """
    rows = Item.objects.filter(project=project, has_open_findings=False).active().translated()
    rows = rows.select_related("working_translation__current_revision").order_by("uid_order", "pk")
    approved = [
        item
        for item in rows[:LOOKED_AT]
        if item.working_translation.state == TranslationState.APPROVED
    ]
    asked = _in_open_rounds(approved)
    own = [text for item in approved if item.pk not in asked and (text := _text(item)).is_usable]
    return (own[:COUNT], True) if len(own) >= COUNT else (_everybodys(), False)


def _in_open_rounds(items: Iterable[Item]) -> set[int]:
    rows = Panel.objects.filter(
        item__in=[item.pk for item in items],
        round__state__in=[RoundState.OPENING, RoundState.OPEN],
    )
    return set(rows.values_list("item", flat=True))


def _text(item: Item) -> PracticeText:
    revision = item.working_translation.current_revision  # type: ignore[union-attr]
    letters = [letter_of(index) for index in range(len(item.options))]
    return PracticeText(
        source=item.question,
        source_options=tuple(item.options),
        target=revision.question if revision else "",
        target_options=tuple(revision.options) if revision else (),
        key=letters.index(item.key) if item.key in letters else -1,
    )


def _everybodys() -> list[PracticeText]:
    """Both sides in the language of the page, the translation in other words."""
    return [
        PracticeText(
            _("Which planet of our solar system is the largest?"),
            (_("Mars"), _("Jupiter"), _("Venus"), _("Mercury")),
            _("What is the biggest planet that goes round our sun?"),
            (
                _("the planet Mars"),
                _("the planet Jupiter"),
                _("Venus, the planet"),
                _("Mercury, the planet"),
            ),
            1,
        ),
        PracticeText(
            _("How many days does a week have?"),
            (_("five"), _("six"), _("seven"), _("eight")),
            _("A week has how many days?"),
            (_("5 days"), _("6 days"), _("7 days"), _("8 days")),
            2,
        ),
        PracticeText(
            _("What does water become when it freezes?"),
            (_("steam"), _("ice"), _("salt"), _("sand")),
            _("Water that is very cold turns into what?"),
            (_("into steam"), _("into ice"), _("into salt"), _("into sand")),
            1,
        ),
    ]
