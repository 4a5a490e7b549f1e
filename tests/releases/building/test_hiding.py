"""Hidden items cannot be looked up, and what hiding them is worth is told."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.items.keys import correct_key
from annotation.models import Item, Revision
from common.errors import DomainError
from projects.models import Project, Source
from releases.building.hiding import preferred_uids
from releases.building.queries import chosen_texts
from releases.enums import Subset
from releases.models import Release, ReleaseSecret
from releases.readiness.queries import public_tests_by_subject
from releases.readiness.report import readiness
from tests.factories import UserFactory
from tests.releases.builders import (
    NOW,
    build,
    build_published,
    files_of,
    fill,
    judge,
    make_approved,
)

pytestmark = pytest.mark.django_db


def hidden_ids(release: Release) -> dict[str, str]:
    rows = release.items.filter(subset=Subset.BLACK_BOX)
    return dict(rows.values_list("uid", "public_id"))


def test_no_file_names_a_hidden_item_by_the_id_of_its_source(project: Project) -> None:
    fill(project, tests=20)
    release = build(project, black_box_share=0.5)
    ids = hidden_ids(release)
    assert len(ids) == 20
    for data in files_of(release).values():
        assert [uid for uid in ids if f'"{uid}"'.encode() in data] == []
    listed = [json.loads(line) for line in files_of(release)["black_box.jsonl"].splitlines()]
    assert sorted(row["id"] for row in listed) == sorted(ids.values())


def test_order_of_hidden_items_tells_nothing_of_their_source(project: Project) -> None:
    fill(project, tests=20)
    release = build(project, black_box_share=0.5)
    files = files_of(release)
    rows = [json.loads(line) for line in files["black_box.jsonl"].splitlines()]
    hidden = [(row["subject"], row["id"]) for row in rows]
    assert hidden == sorted(hidden)
    lines = files["ledger.jsonl"].decode().splitlines(keepends=True)
    concealed = [line for line in lines if '"subset": "black-box"' in line]
    assert concealed == sorted(lines[-len(hidden) :])


def test_nothing_joins_the_history_of_a_hidden_item_to_its_id(project: Project) -> None:
    """Who judged an item, and in which round, tells which row of the source it is."""
    fill(project, subjects=1, tests=9)
    people = [UserFactory() for _each in range(2)]
    for number, item in enumerate(project.items.order_by("pk"), start=1):
        judge(item, people, outcome="approved", number=number)
    files = files_of(build(project, black_box_share=0.5))
    ids = {json.loads(line)["id"] for line in files["black_box.jsonl"].splitlines()}
    assert len(ids) == 5
    carriers = {name for name, data in files.items() for each in ids if each.encode() in data}
    assert carriers == {"black_box.jsonl", f"{project.slug}-0.1.0.zip"}
    lines = [json.loads(line) for line in files["ledger.jsonl"].splitlines()]
    hidden = [line for line in lines if line["subset"] == "black-box"]
    assert [(len(line["rounds"]), "id" in line) for line in hidden] == [(1, False)] * 5


def test_hidden_id_of_an_item_stays_from_version_to_version(
    project: Project, settings: Any
) -> None:
    fill(project, tests=10)
    first = build_published(project, "1.0.0", black_box_share=0.3, seed=1)
    settings.SECRET_KEY = "another, since the server was moved"
    second = build(project, "1.1.0", black_box_share=0.3, seed=2)
    assert hidden_ids(second) == hidden_ids(first)
    assert ReleaseSecret.objects.count() == 1


def test_seed_in_the_manifest_does_not_tell_which_items_are_hidden(project: Project) -> None:
    fill(project, tests=20)
    drawn = set()
    for number in range(2):
        ReleaseSecret.objects.update_or_create(
            project=project, defaults={"value": str(number) * 64}
        )
        release = build(project, f"0.{number}.0", black_box_share=0.5, seed=1)
        hidden = release.items.filter(subset=Subset.BLACK_BOX)
        drawn.add(frozenset(hidden.values_list("uid", flat=True)))
    assert len(drawn) == 2


def test_item_that_a_later_version_opens_gets_its_own_id_back(project: Project) -> None:
    fill(project, subjects=1, tests=10)
    build_published(project, "1.0.0", black_box_share=0.3)
    second = build(project, "1.1.0", black_box_share=0.0)
    assert all(row.public_id == row.uid for row in second.items.all())


def test_readiness_counts_hidden_items_of_public_sources_by_subject(project: Project) -> None:
    fill(project, tests=10, devs=5)
    assert readiness(project).warnings == ()
    [matter] = readiness(project, black_box_share=0.3).warnings
    assert (matter.code, matter.items) == ("hidden_source_public", ("s0: 3", "s1: 3"))
    build_published(project, "1.0.0", black_box_share=0.2)
    [matter] = readiness(project).warnings
    assert matter.items == ("s0: 2", "s1: 2")


def test_source_without_address_and_licence_is_not_public(project: Project) -> None:
    fill(project, subjects=1, tests=4)
    assert [*public_tests_by_subject(project).values()] == [4]
    Source.objects.update(licence="", url="")
    assert public_tests_by_subject(project) == {}
    release = build(project, black_box_share=0.5)
    assert release.facts["hidden_public"] == {}


def test_release_and_card_say_how_many_hidden_items_can_be_looked_up(project: Project) -> None:
    fill(project, tests=10)
    release = build(project, black_box_share=0.2)
    assert release.facts["hidden_public"] == {"s0": 2, "s1": 2}
    card = files_of(release)["README.md"].decode()
    assert "The source of 4 hidden items is public" in card


def rewrite(item: Item, question: str) -> None:
    translation = item.working_translation
    assert translation is not None
    first = translation.current_revision
    assert first is not None
    translation.current_revision = Revision.objects.create(
        translation=translation,
        number=2,
        supersedes=first,
        question=question,
        options=first.options,
        origin="human",
        content_hash="1" * 64,
        created_at=NOW,
    )
    translation.save(update_fields=["current_revision"])


def test_what_experts_wrote_or_changed_is_preferred(project: Project) -> None:
    fill(project, subjects=1, tests=6, devs=0)
    items = {item.uid: item for item in Item.objects.select_related("project")}
    rewrite(items["s0/1"], "གསར་དུ་བྲིས་པའི་དྲི་བ་རིང་པོ་ཞིག་ཡིན། " * 8)
    first = items["s0/2"].working_translation.current_revision
    rewrite(items["s0/2"], f"{first.question}།")
    correct_key(item=items["s0/3"], key="C", reason="the law says so", actor=None, now=NOW)
    own = Source.objects.create(project=project, name="Own", checksum="0" * 64, created_at=NOW)
    Item.objects.filter(uid="s0/4").update(source=own)
    written = Revision.objects.filter(translation__item=items["s0/5"])
    written.update(origin="human")
    assert preferred_uids(project, chosen_texts(project)) == {
        "s0/1", "s0/3", "s0/4", "s0/5",
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_preferred_items_are_hidden_first_on_request_only(project: Project, seed: int) -> None:
    fill(project, subjects=1, tests=20, devs=0)
    Revision.objects.filter(translation__item__uid__in=["s0/3", "s0/7"]).update(origin="human")
    asked = build(project, "0.1.0", black_box_share=0.2, seed=seed, prefers_experts=True)
    plain = build(project, "0.2.0", black_box_share=0.2, seed=seed)
    assert {"s0/3", "s0/7"} <= set(hidden_ids(asked))
    assert len(hidden_ids(asked)) == len(hidden_ids(plain)) == 4


def test_what_was_hidden_before_stays_hidden_before_what_is_preferred(project: Project) -> None:
    fill(project, subjects=1, tests=10, devs=0)
    first = build_published(project, "0.1.0", black_box_share=0.2)
    others = Item.objects.exclude(uid__in=hidden_ids(first))
    Revision.objects.filter(translation__item__in=others).update(origin="human")
    second = build(project, "0.2.0", black_box_share=0.2, prefers_experts=True)
    assert hidden_ids(second) == hidden_ids(first)


def test_command_asks_for_a_share_and_refuses_rubbish(project: Project) -> None:
    fill(project, tests=10, devs=5)
    out = StringIO()
    call_command("check_release", "ti", "--black-box", "0.3", "--json", stdout=out)
    assert json.loads(out.getvalue())["warnings"][0]["code"] == "hidden_source_public"
    for rubbish in ("nan", "1.01", "-0.1"):
        with pytest.raises((CommandError, DomainError, SystemExit)):
            call_command("check_release", "ti", "--black-box", rubbish)


def test_hidden_items_of_imported_and_new_items_keep_different_ids(project: Project) -> None:
    fill(project, tests=10)
    make_approved(project, uid="s0/x", subject=Item.objects.get(uid="s0/0").subject)
    ids = hidden_ids(build(project, black_box_share=0.9))
    assert len(set(ids.values())) == len(ids)
