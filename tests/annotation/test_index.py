"""Search texts and flags of findings are kept by the actions; here they are computed again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import User
from annotation.checks.actions import check_again, dismiss_finding
from annotation.enums import Origin, Severity
from annotation.items.revisions import create_revision
from annotation.models import Finding, Item, ItemSearchText, Revision, TranslationSearchText
from annotation.search_text import search_text
from projects.enums import Role
from projects.models import Project

ROWS = """\
{"uid": "a/1", "subject": "a", "question": "What?", "options": ["1", "2"], "key": "A", \
"system": "mt", "translation_question": "ག་རེ་རེད།", "translation_options": ["༡", "༡"]}
{"uid": "a/2", "subject": "a", "question": "What is 5?", "options": ["1", "2"], "key": "A", \
"system": "mt", "translation_question": "ག་རེ་རེད།", "translation_options": ["༡", "༢"]}
{"uid": "a/3", "subject": "a", "question": "Who?", "options": ["1", "2"], "key": "B", \
"system": "mt", "translation_question": "སུ་རེད།", "translation_options": ["༡", "༢"]}
{"uid": "a/4", "subject": "a", "question": "Alone?", "options": ["1", "2"], "key": "B"}
"""


@pytest.fixture
def items(project: Project, tmp_path: Path) -> list[Item]:
    path = tmp_path / "items.jsonl"
    path.write_text(ROWS, encoding="utf-8")
    call_command("import_items", project.slug, path, format="items")
    return list(Item.objects.order_by("uid"))


def current(item: Item) -> Revision:
    return Revision.objects.get(
        translation__item=item, translation=item.working_translation, superseded_by__isnull=True
    )


def kept(item: Item) -> tuple[str, str, bool, bool, bool]:
    item.refresh_from_db()
    texts = TranslationSearchText.objects.filter(translation=item.working_translation)
    return (
        ItemSearchText.objects.get(item=item).text,
        "".join(texts.values_list("text", flat=True)),
        item.has_open_errors,
        item.has_open_warnings,
        item.has_open_findings,
    )


def computed(item: Item) -> tuple[str, str, bool, bool, bool]:
    text, severities = "", set()
    if item.working_translation:
        revision = current(item)
        text = search_text(revision)
        severities = {f.severity for f in Finding.objects.open().filter(revision=revision)}
    return (
        search_text(item, uid=item.uid),
        text,
        Severity.ERROR in severities,
        Severity.WARNING in severities,
        bool(severities),
    )


def as_computed(items: list[Item]) -> list[bool]:
    return [kept(item) == computed(item) for item in items]


def test_import_fills_search_texts_and_flags(items: list[Item]) -> None:
    assert as_computed(items) == [True] * 4
    assert [item.has_open_errors for item in items] == [True, False, False, False]


def test_second_import_with_translations_of_items_that_are_there_fills_them(
    project: Project, items: list[Item], tmp_path: Path
) -> None:
    path = tmp_path / "later.jsonl"
    path.write_text(
        '{"uid": "a/4", "subject": "a", "question": "Alone?", "options": ["1", "2"], "key": "B", '
        '"system": "mt", "translation_question": "གཅིག་པུ།", "translation_options": ["༢", "༢"]}\n',
        encoding="utf-8",
    )
    call_command("import_items", project.slug, path, format="items")
    assert as_computed(items) == [True] * 4
    assert "གཅིག་པུ" in kept(items[3])[1]


def test_new_revision_changes_search_text_and_flags(items: list[Item]) -> None:
    create_revision(
        base=current(items[0]),
        question="ག་རེ།",
        options=["༡", "༢"],
        origin=Origin.HUMAN,
        author=None,
        now=timezone.now(),
    )
    assert as_computed(items) == [True] * 4
    assert not items[0].has_open_errors


def test_dismissing_and_checking_again_change_flags(
    items: list[Item], project: Project, member: Callable[..., User]
) -> None:
    for finding in Finding.objects.open().filter(revision=current(items[0])):
        actor = member(Role.SENIOR)
        dismiss_finding(finding=finding, reason="known", actor=actor, now=timezone.now())
    Finding.objects.filter(revision=current(items[1])).delete()
    revisions = Revision.objects.filter(pk=current(items[1]).pk).select_related("translation__item")
    check_again(revisions=revisions, project=project, now=timezone.now())
    assert as_computed(items) == [True] * 4
    assert not items[0].has_open_findings
