"""Searching items by any part of their text, in any script, with the index and without it."""

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.index import refresh_search_texts
from annotation.items import search
from annotation.items.search import items_with_text
from annotation.models import Item, ItemSearchText
from projects.models import Project
from tests.factories import ItemFactory, make_translated_item

pytestmark = pytest.mark.both_databases

TEXTS = {
    "law/01": ("What is Article 7?", "དོན་ཚན་བདུན་པ་ནི་ག་རེ་རེད།"),
    "law/02": ("量子力学的基本假设是什么？", "ཚད་རྡུལ་ཤུགས་རིག"),
    "phys/01": ('CO₂ or 50% of "it"_?', "ຄຳຖາມທີໜຶ່ງແມ່ນຫຍັງ"),
}


@pytest.fixture
def items(project: Project) -> list[Item]:
    items = [
        make_translated_item(project=project, uid=uid, question=target, options=["ཀ", "ཁ"])
        for uid, (_source, target) in TEXTS.items()
    ]
    for item in items:
        item.question = TEXTS[item.uid][0]
        item.options = ["alpha", f"beta of {item.uid}"]
        item.explanation = f"because of {item.uid}"
        item.save()
    refresh_search_texts([item.pk for item in items])
    return items


def found(project: Project, text: str) -> list[str]:
    rows = items_with_text(Item.objects.filter(project=project), text)
    return list(rows.order_by("uid").values_list("uid", flat=True))


FINDS = (
    ("article 7", ["law/01"]),
    ("ARTICLE", ["law/01"]),
    ("law/", ["law/01", "law/02"]),
    ("བདུན་པ", ["law/01"]),
    ("རིག", ["law/02"]),
    ("量子力", ["law/02"]),
    ("量子", ["law/02"]),
    ("量", ["law/02"]),
    ("？", ["law/02"]),
    ("ຫຍັງ", ["phys/01"]),
    ("ໜ", ["phys/01"]),
    ("ག", ["law/01", "law/02"]),
    ("alpha", ["law/01", "law/02", "phys/01"]),
    ("beta of law", ["law/01", "law/02"]),
    ("because of phys", ["phys/01"]),
    ("50%", ["phys/01"]),
    ('"it"_', ["phys/01"]),
    ("5%", []),
    ("no such text", []),
    ("量力", []),
    ("\x02", []),
)


@pytest.mark.parametrize("few", [0, 1000])
def test_search_finds_any_part_of_uid_and_texts(
    project: Project, items: list[Item], monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(search, "FEW", few)
    assert [(text, found(project, text)) for text, _uids in FINDS] == list(FINDS)


def test_search_stays_inside_the_project(project: Project, items: list[Item]) -> None:
    make_translated_item(uid="other/1", question="量子")
    assert found(project, "量子") == ["law/02"]


def test_search_without_an_index_finds_the_same(
    project: Project, items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_has_index", lambda _vendor, _index: False)
    assert [found(project, text) for text in ("量子力", "量", "gone")] == [
        ["law/02"],
        ["law/02"],
        [],
    ]


@pytest.mark.django_db
@given(
    texts=st.lists(st.text("abA \"'%_\\་ཀཁ量子", max_size=8), min_size=1, max_size=4),
    wanted=st.text("abA \"'%_\\་ཀཁ量子", min_size=1, max_size=5),
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_search_finds_exactly_the_items_that_contain_the_text(
    project: Project, texts: list[str], wanted: str
) -> None:
    ItemSearchText.objects.all().delete()
    Item.objects.all().delete()
    for number, text in enumerate(texts):
        item = ItemFactory(project=project, uid=f"{number}", question=text)
        refresh_search_texts([item.pk])
    expected = [str(n) for n, text in enumerate(texts) if wanted.casefold() in text.casefold()]
    assert found(project, wanted) == expected


def test_database_of_the_tests_has_the_index(db: None) -> None:
    assert search._has_index(connection.vendor, search.SOURCES)
    assert search._has_index(connection.vendor, search.TRANSLATIONS)
