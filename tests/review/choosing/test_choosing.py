"""Choosing whose text goes on: what changes, what stays, and who may not be overwritten."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.enums import Origin, TranslationState
from annotation.items.queries import ItemFilter, filtered_items
from annotation.models import Item, Translation
from projects.models import Project
from review.choosing.actions.choosing import (
    Chosen,
    NothingRanked,
    SystemUnknown,
    choose_best_ranked,
    choose_for_item,
    choose_system,
)
from review.enums import RoundKind
from review.models import Round
from review.rounds.actions.rounds import close_round
from review.selection.item_choice import NO_FILTER
from tests.review.kinds import add_system, add_text, compare, opinion

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(project: Project, items: Callable[[int], None]) -> Callable[[int], list[Item]]:
    """Items with the texts of "mt" and "other"; the first is the working one."""

    def make(count: int) -> list[Item]:
        items(count)
        add_system(project)
        return list(project.items.order_by("uid"))

    return make


def test_choose_system_moves_the_working_translation_with_an_audit_row_for_each_item(
    project: Project, two: Callable[[int], list[Item]]
) -> None:
    two(2)

    done = _choose(project, "other")

    assert done == Chosen(changed=2)
    assert _systems(project) == ["other", "other"]
    events = AuditEvent.objects.filter(verb="item.translation_chosen")
    assert [each.data["to"] for each in events] == ["other", "other"]
    assert [each.data["from"] for each in events] == ["mt", "mt"]


def test_choose_system_makes_the_next_round_review_that_text(
    project: Project, two: Callable[[int], list[Item]], opened: Callable[..., Round]
) -> None:
    two(1)
    _choose(project, "other")

    round_ = opened(0)

    assert round_.panels.get().revision.question == "གཞན།"


def test_choose_system_lets_searches_find_that_text_and_leaves_what_they_look_at_of_items(
    project: Project, two: Callable[[int], list[Item]]
) -> None:
    two(2)
    wanted = ItemFilter(q="གཞན")
    assert not filtered_items(project, wanted).exists()

    with CaptureQueriesContext(connection) as there:
        _choose(project, "other")
    assert filtered_items(project, wanted).count() == 2
    with CaptureQueriesContext(connection) as back:
        _choose(project, "mt")
    assert not filtered_items(project, wanted).exists()

    assert _writes(there, "annotation_itemsearchtext") == 0
    assert _writes(back, "annotation_itemsearchtext") == 0
    assert _writes(there, "annotation_translationsearchtext") == 1
    assert _writes(back, "annotation_translationsearchtext") == 0


def test_choose_system_again_changes_nothing(
    project: Project, two: Callable[[int], list[Item]]
) -> None:
    two(2)
    _choose(project, "other")

    assert _choose(project, "other") == Chosen(same=2)


def test_choose_system_counts_items_without_a_text_by_it(
    project: Project, items: Callable[[int], None]
) -> None:
    items(2)
    add_text(project.items.order_by("uid")[0], "other", "གཞན།")

    assert _choose(project, "other") == Chosen(changed=1, without=1)


def test_choose_system_for_a_filter_leaves_the_other_items(
    project: Project, two: Callable[[int], list[Item]]
) -> None:
    first, _second = two(2)

    done = _choose(project, "other", item_filter=ItemFilter(q=first.uid))

    assert done == Chosen(changed=1)
    assert _systems(project) == ["other", "mt"]


@pytest.mark.parametrize("state", [TranslationState.APPROVED, TranslationState.REJECTED])
def test_choose_system_keeps_a_decided_text_unless_told(
    project: Project, two: Callable[[int], list[Item]], state: TranslationState
) -> None:
    two(1)
    Translation.objects.filter(system="mt").update(state=state)

    assert _choose(project, "other") == Chosen(reviewed=1)
    assert _choose(project, "other", is_reviewed_included=True) == Chosen(changed=1)


def test_choose_system_keeps_a_text_that_somebody_judged(
    project: Project,
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Any],
) -> None:
    round_ = opened(1)
    add_system(project)
    judge(round_, reviewers(1)[0])
    close_round(round_=round_, actor=None, now=timezone.now())

    assert _choose(project, "other") == Chosen(reviewed=1)


def test_choose_system_keeps_a_text_that_was_corrected_here(
    project: Project, two: Callable[[int], list[Item]]
) -> None:
    (item,) = two(1)
    add_text(item, "mt", "ཞུས་དག", origin=Origin.HUMAN, number=2)

    assert _choose(project, "other") == Chosen(reviewed=1)


def test_choose_system_never_touches_items_in_an_open_round(
    project: Project, opened: Callable[..., Round]
) -> None:
    opened(1)
    add_system(project)

    done = _choose(project, "other", is_reviewed_included=True)

    assert done == Chosen(waiting=1)
    assert _systems(project) == ["mt"]


def test_choose_system_never_touches_items_in_dispute(
    project: Project, disputed: Callable[..., Any]
) -> None:
    panel = disputed()
    add_system(project)
    close_round(round_=panel.round, actor=None, now=timezone.now())

    assert _choose(project, "other", is_reviewed_included=True) == Chosen(waiting=1)


def test_choose_system_that_nobody_imported_is_refused(
    project: Project, two: Callable[[int], list[Item]]
) -> None:
    two(1)

    with pytest.raises(SystemUnknown):
        _choose(project, "nobody")


def test_choose_for_item_changes_only_that_item(
    project: Project, two: Callable[[int], list[Item]]
) -> None:
    _first, second = two(2)

    done = choose_for_item(
        item=second, system="other", is_reviewed_included=False, actor=None, now=timezone.now()
    )

    assert done == Chosen(changed=1)
    assert _systems(project) == ["mt", "other"]


def test_choose_for_item_of_a_system_of_another_project_is_refused(
    project: Project, two: Callable[[int], list[Item]]
) -> None:
    (item,) = two(1)

    with pytest.raises(SystemUnknown):
        choose_for_item(
            item=item, system="elsewhere", is_reviewed_included=True, actor=None, now=timezone.now()
        )


def test_choose_best_ranked_takes_for_each_item_the_best_text(
    project: Project,
    two: Callable[[int], list[Item]],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> None:
    two(3)
    round_ = opened(0, kind=RoundKind.COMPARISON, panel_size=1)
    (user,) = reviewers(1)
    compare(round_, user, {"mt": opinion(rank=2), "other": opinion(rank=1)})
    compare(round_, user, {"mt": opinion(rank=1), "other": opinion(rank=2)})
    round_ = close_round(round_=round_, actor=None, now=timezone.now())

    done = choose_best_ranked(
        round_=round_, is_reviewed_included=False, actor=None, now=timezone.now()
    )

    assert done == Chosen(changed=1, same=1, without=1)
    assert _systems(project) == ["other", "mt", "mt"]


def test_choose_best_ranked_without_ranks_goes_by_approvals_then_ratings(
    project: Project,
    two: Callable[[int], list[Item]],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> None:
    two(3)
    round_ = opened(0, kind=RoundKind.COMPARISON, panel_size=1)
    (user,) = reviewers(1)
    compare(round_, user, {"mt": opinion(is_approved=False, domain=5), "other": opinion(domain=0)})
    compare(round_, user, {"mt": opinion(domain=3), "other": opinion(domain=4)})
    compare(round_, user, {"mt": opinion(), "other": opinion()})  # equal: the item keeps its own
    round_ = close_round(round_=round_, actor=None, now=timezone.now())

    choose_best_ranked(round_=round_, is_reviewed_included=False, actor=None, now=timezone.now())

    assert _systems(project) == ["other", "other", "mt"]


def test_choose_best_ranked_of_an_open_round_or_a_review_is_refused(
    project: Project, two: Callable[[int], list[Item]], opened: Callable[..., Round]
) -> None:
    two(1)
    comparison = opened(0, kind=RoundKind.COMPARISON)
    for round_ in (comparison, Round(project=project, number=9)):
        with pytest.raises(NothingRanked):
            choose_best_ranked(
                round_=round_, is_reviewed_included=False, actor=None, now=timezone.now()
            )


def _choose(project: Project, system: str, **how: Any) -> Chosen:
    how = {"item_filter": NO_FILTER, "is_reviewed_included": False, **how}
    return choose_system(project=project, system=system, actor=None, now=timezone.now(), **how)


def _writes(queries: CaptureQueriesContext, table: str) -> int:
    return sum(f'INSERT INTO "{table}"' in each["sql"] for each in queries.captured_queries)


def _systems(project: Project) -> list[str]:
    rows = project.items.order_by("uid").values_list("working_translation__system", flat=True)
    return list(rows)
