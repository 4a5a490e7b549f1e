"""Which language each text of an item is in."""

import pytest

from annotation.enums import ItemKind
from annotation.items.text_languages import language_of, source_language_of
from annotation.models import Item
from annotation.templatetags.item_texts import text_languages
from projects.models import Project
from releases.models import ReleaseItem

FIELDS = ("question", "options.0", "answer", "explanation")


def languages(item: Item | ReleaseItem, project: Project) -> list[tuple[str, str]]:
    return [
        (source_language_of(item, field, project), language_of(item, field, project))
        for field in FIELDS
    ]


@pytest.mark.parametrize("kind", [ItemKind.CHOICE, ItemKind.NUMBER, ItemKind.OPEN])
@pytest.mark.parametrize(("source", "target"), [("zh", "bo"), ("ug", "zh"), ("ug", "ug")])
def test_texts_of_other_items_are_in_the_languages_of_their_project(
    kind: ItemKind, source: str, target: str
) -> None:
    project = Project(source_language=source, target_language=target)
    item = Item(kind=kind, metadata={"direction": "lo-en"})

    assert languages(item, project) == [(source, target)] * 4


def test_item_that_asks_for_a_translation_has_the_languages_of_its_direction_on_both_sides() -> (
    None
):
    """One project has items into several languages; the explanation is for who reads its files."""
    project = Project(source_language="zh", target_language="bo")
    for direction, source, target in [("ug-zh", "ug", "zh"), ("lo → en", "lo", "en")]:
        item = Item(kind=ItemKind.TRANSLATION, metadata={"direction": direction})

        assert languages(item, project) == [
            *[(source, source)] * 2,
            (target, target),
            ("zh", "zh"),
        ]


@pytest.mark.parametrize("metadata", [{}, {"direction": ""}, {"direction": "no idea"}])
def test_item_without_a_direction_has_that_of_its_project(metadata: dict[str, str]) -> None:
    project = Project(source_language="ug", target_language="zh")
    item = Item(kind=ItemKind.TRANSLATION, metadata=metadata)

    assert [language_of(item, field, project) for field in FIELDS] == ["ug", "ug", "zh", "ug"]


def test_released_item_has_the_direction_that_its_release_froze() -> None:
    project = Project(source_language="zh", target_language="bo")
    frozen = {"source_language": "lo", "target_language": "en"}
    placed = ReleaseItem(kind=ItemKind.TRANSLATION, **frozen)

    assert [language_of(placed, field, project) for field in FIELDS] == ["lo", "lo", "en", "zh"]


def test_heading_names_both_languages_of_a_direction() -> None:
    project = Project(source_language="zh", target_language="bo")
    asking = Item(kind=ItemKind.TRANSLATION, metadata={"direction": "ug-zh"})

    assert text_languages(project, asking) == (
        '<span lang="ug" dir="rtl" class="inline">ئۇيغۇرچە</span> → '
        '<span lang="zh" class="inline">中文</span>'
    )
    assert text_languages(project, Item(kind=ItemKind.OPEN)).count("<span") == 1
