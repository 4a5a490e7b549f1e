"""Translation memory and concordance find what may be shown, and leak nothing else."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.enums import ItemState, TranslationState
from annotation.items.actions import exclude_item
from annotation.items.index import refresh_search_texts
from annotation.memory.likeness import grams, likeness, windows
from annotation.memory.presenters import pieces
from annotation.memory.queries import Concordance, concordance, similar_items
from annotation.models import ImportBatch, Item, Translation
from projects.enums import Role
from projects.models import Project
from tests.factories import MembershipFactory, ProjectFactory, UserFactory, make_translated_item

pytestmark = pytest.mark.django_db

LAW = "下列关于中华人民共和国民法典的说法中正确的是哪一项"
LIKE = "下列关于中华人民共和国刑法典的说法中错误的是哪一项"
OTHER = "光合作用发生在植物细胞的哪个部位"


@pytest.fixture
def project() -> Project:
    return ProjectFactory(slug="ti")


def approved(project: Project, source: str, target: str = "བོད་ཡིག", **fields: Any) -> Item:
    item = make_translated_item(project=project, question=target, **fields)
    Item.objects.filter(pk=item.pk).update(question=source)
    Translation.objects.filter(item=item).update(state=TranslationState.APPROVED)
    refresh_search_texts([item.pk])
    item.refresh_from_db()
    return item


def found(project: Project, q: str, **wanted: str) -> list[Item]:
    return list(concordance(project, Concordance(q=q, **wanted)).order_by("uid_order"))


def browser(project: Project, role: Role) -> Client:
    user = UserFactory()
    MembershipFactory(project=project, user=user, role=role)
    client = Client()
    client.force_login(user, backend="accounts.backends.AccountBackend")
    return client


def test_similar_items_come_the_likest_first_and_unlike_ones_not_at_all(project: Project) -> None:
    like, same = approved(project, LIKE), approved(project, LAW)
    approved(project, OTHER)
    matches = similar_items(project, LAW)
    assert [match.item for match in matches] == [same, like]
    assert matches[0].likeness == 1
    assert 0.3 <= matches[1].likeness < 1


def test_item_is_no_match_of_itself(project: Project) -> None:
    item = approved(project, LAW)
    assert similar_items(project, LAW, leaving_out=item.pk) == []


@pytest.mark.parametrize("text", ["", " ", "\0", "x", "%", '"', "民法典", "x" * 9000])
def test_any_text_may_be_asked_for(project: Project, text: str) -> None:
    approved(project, LAW)
    assert isinstance(similar_items(project, text), list)


def test_unapproved_items_are_no_matches_and_found_only_where_all_are_asked_for(
    project: Project,
) -> None:
    item = approved(project, LAW)
    Translation.objects.filter(item=item).update(state=TranslationState.PENDING)
    assert similar_items(project, LAW) == []
    assert found(project, "民法典") == []
    assert found(project, "民法典", scope="all") == [item]


def test_excluded_items_are_nowhere(project: Project) -> None:
    item = approved(project, LAW)
    exclude_item(item=item, reason="no", actor=UserFactory(), now=timezone.now())
    assert similar_items(project, LAW) == []
    assert found(project, "民法典", scope="all") == []
    assert Item.objects.get(pk=item.pk).state == ItemState.EXCLUDED


def test_items_of_an_unfinished_import_are_nowhere(project: Project) -> None:
    item = approved(project, LAW)
    batch = ImportBatch.objects.create(
        project=project, writer="x", started_at=timezone.now(), touched_at=timezone.now()
    )
    Item.all_rows.filter(pk=item.pk).update(import_batch=batch)
    assert similar_items(project, LAW) == []
    assert found(project, "民法典", scope="all") == []


def test_other_projects_are_nowhere(project: Project) -> None:
    approved(ProjectFactory(), LAW)
    assert similar_items(project, LAW) == []
    assert found(project, "民法典", scope="all") == []


def test_concordance_looks_at_the_side_that_is_asked_for(project: Project) -> None:
    source = approved(project, "abc DNA", "xyz", uid="a/2")
    target = approved(project, "abc", "xyz DNA", uid="a/10")
    assert found(project, "dna") == [source, target]
    assert found(project, "dna", side="source") == [source]
    assert found(project, "dna", side="target") == [target]


def test_page_marks_the_hits_and_leaves_out_items_with_the_text_in_their_uid_only(
    project: Project,
) -> None:
    approved(project, "about DNA and <b>RNA</b>", "ཡིག DNA", uid="bio/1")
    approved(project, "other", "ཡིག", uid="dna/1")
    page = browser(project, Role.REVIEWER).get(
        reverse("annotation:concordance", args=["ti"]), {"q": "dna"}
    )
    html = page.content.decode()
    assert html.count("<mark>DNA</mark>") == 2
    assert "&lt;b&gt;RNA" in html
    assert "dna/1" not in html


def test_panel_of_the_workbench_names_the_item_by_its_uid(project: Project) -> None:
    approved(project, LAW, uid="law/1")
    approved(project, LIKE, uid="law/2")
    html = (
        browser(project, Role.REVIEWER)
        .get(
            reverse("annotation:memory", args=["ti"]),
            {"item": "law/1"},
            headers={"Lotsawa-Fragment": "panel"},
        )
        .content.decode()
    )
    assert "<html" not in html
    assert "law/2" in html
    assert ">law/1<" not in html


@pytest.mark.parametrize("name", ["concordance", "memory"])
def test_viewers_who_may_not_read_items_find_none(project: Project, name: str) -> None:
    approved(project, LAW)
    client = browser(project, Role.VIEWER)
    assert (
        client.get(reverse(f"annotation:{name}", args=["ti"]), {"q": "民法典"}).status_code == 403
    )
    assert client.get(reverse(f"api:{name}", args=["ti"]), {"q": "民法典"}).status_code == 403


@pytest.mark.parametrize("count", [1, 3])
def test_searches_take_the_same_queries_for_any_number_of_hits(
    project: Project, count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        approved(project, LAW)
    client = browser(project, Role.REVIEWER)
    client.get(reverse("annotation:memory", args=["ti"]))
    with django_assert_num_queries(10):
        client.get(reverse("annotation:concordance", args=["ti"]), {"q": "民法典"})
    with django_assert_num_queries(8):
        client.get(reverse("annotation:memory", args=["ti"]), {"text": LAW})


def test_api_answers_as_the_pages(project: Project) -> None:
    approved(project, LAW, "ཁྲིམས", uid="law/1")
    client = browser(project, Role.REVIEWER)
    matches = client.get(reverse("api:memory", args=["ti"]), {"text": LAW}).json()
    assert [(m["likeness"], m["item"]["uid"]) for m in matches] == [(1.0, "law/1")]
    page = client.get(reverse("api:concordance", args=["ti"]), {"q": "ཁྲིམས"}).json()
    assert [row["translation"] for row in page["results"]] == ["ཁྲིམས"]
    assert client.get(reverse("api:concordance", args=["ti"]), {"side": "x"}).status_code == 400


def test_likeness_and_windows() -> None:
    assert likeness(grams("abcd"), grams("abcd")) == 1
    assert likeness(grams("abcd"), grams("abce")) == 0.5
    assert likeness(grams(""), grams("")) == 0
    assert windows("") == []
    assert windows("Ab") == ["ab"]
    assert len(windows("abcdefgh" * 200)) <= 24


def test_long_text_is_cut_around_its_first_hit() -> None:
    found = pieces("x" * 500 + "Wort" + "y" * 500, "wort")
    assert [piece.text for piece in found if piece.is_hit] == ["Wort"]
    assert found[0].text == found[-1].text == "…"
    assert sum(len(piece.text) for piece in found) < 410
