"""The order of options: balanced keys, the same from version to version, and never where it harms."""

import json
from collections import Counter
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from annotation.items.keys import correct_key
from annotation.models import Item
from evaluation.request_building import asked_item, prompt_item
from languages.letters import LETTERS
from projects.models import Project
from releases.building.drawing import OrderedItem, draw_orders
from releases.changes.differences import ASPECTS, difference
from releases.files.storage import release_folder
from releases.option_orders import as_before, in_order, released_key
from releases.queries import release_items
from releases.readiness.report import readiness
from releases.verification.checking import verify
from tests.releases.builders import NOW, build, build_published, files_of, fill, make_approved

SECRET = "s"


def ordered(number: int, key: str = "A", count: int = 4, **fields: Any) -> OrderedItem:
    return OrderedItem(f"a/{number}", ("a", "open"), key, count, **fields)


@given(counts=st.lists(st.integers(2, 10), max_size=40), seed=st.integers(0, 99), data=st.data())
def test_orders_are_permutations_and_keys_of_one_size_are_balanced(
    counts: list[int], seed: int, data: st.DataObject
) -> None:
    items = [
        ordered(n, data.draw(st.sampled_from(LETTERS[:count])), count)
        for n, count in enumerate(counts)
    ]
    orders = draw_orders(items, secret=SECRET, seed=seed)
    assert all(sorted(orders[item.uid]) == list(LETTERS[: item.option_count]) for item in items)
    assert orders == draw_orders(reversed(items), secret=SECRET, seed=seed)
    if len(set(counts)) == 1:
        keys = Counter(released_key(item.key, orders[item.uid]) for item in items)
        numbers = [keys[letter] for letter in LETTERS[: counts[0]]]
        assert max(numbers) - min(numbers) <= 1


def test_items_that_were_ordered_keep_their_order_and_new_ones_fill_up() -> None:
    old = draw_orders([ordered(n) for n in range(7)], secret=SECRET, seed=1)
    again = [ordered(n, earlier=old[f"a/{n}"]) for n in range(7)]
    found = draw_orders([*again, *(ordered(n) for n in range(7, 12))], secret=SECRET, seed=2)
    assert {uid: found[uid] for uid in old} == old
    keys = Counter(released_key("A", order) for order in found.values())
    assert sorted(keys.values()) == [3, 3, 3, 3]


def test_orders_cannot_be_computed_without_the_secret() -> None:
    items = [ordered(n) for n in range(20)]
    assert draw_orders(items, secret="a", seed=1) != draw_orders(items, secret="b", seed=1)


@given(st.permutations("ABCD"))
def test_options_can_be_put_back(order: list[str]) -> None:
    options = ["w", "x", "y", "z"]
    assert as_before(in_order(options, "".join(order)), "".join(order)) == options


def shuffled(project: Project, version: str = "0.1.0", **parameters: Any) -> Any:
    return build_published(project, version, option_order="shuffled", **parameters)


@pytest.mark.django_db
def test_shuffled_release_gives_the_right_option_under_its_key_everywhere(project: Project) -> None:
    fill(project, subjects=1, tests=9, devs=3)
    fixed = make_approved(
        project, uid="s0/fixed", subject=project.subjects.get(), key="B",
        options=["ཀ", "ཁ", "A and B", "ང"],
    )  # fmt: skip
    release = shuffled(project, black_box_share=0.3, seed=4)
    right = {
        item.uid: item.working_translation.current_revision.options["ABCD".index(item.key)]
        for item in Item.objects.all()
    }
    rows = [
        json.loads(line)
        for name, data in files_of(release).items()
        if name.startswith("jsonl/")
        for line in data.splitlines()
    ]
    assert {row["id"]: row["choices"][row["answer"]] for row in rows} == {
        row["id"]: right[row["id"]] for row in rows
    }
    assert any(row["choices"] != list(release.items.get(uid=row["id"]).revision.options)
               for row in rows)  # fmt: skip
    for placed in release_items(release):
        prompt = prompt_item(placed)
        assert prompt.options["ABCD".index(prompt.key)] == right[placed.uid]
        assert asked_item(placed, "").options == prompt.options
    assert release.items.get(item=fixed).option_order == "ABCD"
    for subset in ("open", "black-box"):
        keys = Counter(release.items.filter(subset=subset).values_list("key", flat=True))
        assert max(keys.values()) - min(keys[letter] for letter in "ABCD") <= 1
    manifest = json.loads(files_of(release)["manifest.json"])
    assert (manifest["option_order"], manifest["unshuffled"]) == ("shuffled", 1)
    assert "1 item keeps its order, because it speaks" in files_of(release)["README.md"].decode()
    found = verify(release_folder(project.slug, "0.1.0"), version=settings.VERSION)
    assert (found.problems, found.notes) == ((), ())


@pytest.mark.django_db
def test_order_alone_is_no_difference_and_a_key_is_told_in_the_items_own_letters(
    project: Project,
) -> None:
    fill(project, subjects=1)
    first = build_published(project, "1.0.0")
    second = shuffled(project, "1.0.1", seed=3)
    assert not any(difference(first, second, shows_hidden=True).counts.values())
    assert readiness(project).proposed_version == "1.0.2"
    item = Item.objects.select_related("project").get(uid="s0/0")
    correct_key(item=item, key="C", reason="the law says so", actor=None, now=NOW)
    assert readiness(project).proposed_version == "2.0.0"
    third = shuffled(project, "2.0.0", seed=9)
    found = difference(second, third, shows_hidden=True)
    assert {name: found.counts[name] for name in ASPECTS if found.counts[name]} == {"key": 1}
    assert (found.key[0].before, found.key[0].after) == ("A", "C")
    orders = [dict(each.items.values_list("uid", "option_order")) for each in (second, third)]
    assert orders[0] == orders[1]
    released = third.items.get(uid="s0/0")
    assert released.options["ABCD".index(released.key)] == released.revision.options[2]


@pytest.mark.django_db
def test_build_that_keeps_orders_says_so(project: Project) -> None:
    fill(project, subjects=1)
    release = build(project)
    assert not release.items.exclude(option_order="").exists()
    assert "in which the items have them" in files_of(release)["README.md"].decode()
