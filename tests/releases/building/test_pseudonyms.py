"""Ids and names that tell nothing, and stay what they are."""

from releases.building.pseudonyms import hidden_id, reviewer_names


def test_hidden_id_is_the_same_for_an_item_and_another_with_another_secret() -> None:
    first = hidden_id("law/12", secret="one")
    assert first == hidden_id("law/12", secret="one")
    assert first != hidden_id("law/12", secret="two")
    assert "12" not in first.removeprefix("hidden-") or "law" not in first
    assert len({hidden_id(f"law/{n}", secret="one") for n in range(5_000)}) == 5_000


def test_order_of_hidden_ids_is_not_the_order_of_uids() -> None:
    uids = [f"law/{number}" for number in range(200)]
    by_id = sorted(uids, key=lambda uid: hidden_id(uid, secret="one"))
    stayed = sum(a == b for a, b in zip(uids, by_id, strict=True))
    assert stayed < 10


def test_reviewers_are_numbered_without_gaps_and_anew_in_each_version() -> None:
    people = range(40, 60)
    first = reviewer_names(people, secret="one", version="1.0.0")
    second = reviewer_names(people, secret="one", version="1.1.0")
    assert sorted(first) == list(people)
    assert set(first.values()) == {f"reviewer-{n}" for n in range(1, 21)}
    assert first == reviewer_names(reversed(people), secret="one", version="1.0.0")
    assert first != second
