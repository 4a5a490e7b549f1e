"""The queue of disputes: filters, order, counts, what comes next, and who is there."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.models import Item
from annotation.natural_order import natural_order
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.visits import VISIT, visit_dispute
from review.disputes.queue import (
    QueueFilter,
    gap_of,
    next_after,
    queue_counts,
    queue_of,
    verdicts_of,
)
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)
OTHER = Correction("འདྲི་བ་གཞན།", OPTIONS)


@pytest.fixture
def queue(
    project: Project,
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
) -> dict[str, Panel]:
    """Three disputes: "gap" (all approve), "split" (revise and reject), "texts" (two corrections)."""
    round_ = opened(3)
    for number, item in enumerate(Item.objects.order_by("pk")):
        uid = ("s/10", "s/9", "s/1")[number]
        Item.objects.filter(pk=item.pk).update(uid=uid, uid_order=natural_order(uid))
    first, second = reviewers(2)
    judge(round_, first, domain=5)
    judge(round_, second, domain=3)
    judge(round_, first, correction=NEW)
    judge(round_, second, verdict="reject")
    judge(round_, first, correction=NEW)
    judge(round_, second, correction=OTHER)
    panels = list(Panel.objects.order_by("pk"))
    return dict(zip(("gap", "split", "texts"), panels, strict=True))


@pytest.fixture
def found(project: Project, queue: dict[str, Panel], member: Member) -> Callable[..., list[str]]:
    senior = member(Role.SENIOR)
    names = {panel.pk: name for name, panel in queue.items()}

    def find(**wanted: str) -> list[str]:
        rows = queue_of(project, senior, QueueFilter.of(wanted), now=timezone.now())
        return [names[panel.pk] for panel in rows]

    return find


ASKED_FOR: list[tuple[dict[str, str], list[str]]] = [
    ({}, ["split", "texts", "gap"]),
    ({"sort": "uid"}, ["texts", "split", "gap"]),
    ({"sort": "oldest"}, ["gap", "split", "texts"]),
    ({"sort": "odd"}, ["split", "texts", "gap"]),
    ({"verdicts": "AA"}, ["gap"]),
    ({"verdicts": "ER"}, ["split"]),
    ({"verdicts": "AR"}, []),
    ({"gap": "2"}, ["gap"]),
    ({"gap": "0"}, ["split", "texts"]),
    ({"gap": "²"}, ["split", "texts", "gap"]),
    ({"reason": "different_corrections"}, ["texts"]),
    ({"reason": "only-score_gap"}, ["gap"]),
    ({"reason": "only-flagged"}, []),
    ({"round": "1"}, ["split", "texts", "gap"]),
    ({"round": "2"}, []),
    ({"system": "none"}, []),
    ({"subject": "none"}, []),
    ({"days": "1"}, []),
]


def test_queue_has_what_was_asked_for_in_the_order_asked_for(
    found: Callable[..., list[str]],
) -> None:
    assert [(wanted, found(**wanted)) for wanted, _names in ASKED_FOR] == ASKED_FOR


def test_waiting_filter_has_those_that_came_up_long_ago(
    found: Callable[..., list[str]], queue: dict[str, Panel]
) -> None:
    old = timezone.now() - timedelta(days=8)
    Panel.objects.filter(pk=queue["texts"].pk).update(decided_at=old)

    assert (found(days="7"), found(days="30")) == (["texts"], [])


def test_counts_are_of_every_value(
    project: Project, queue: dict[str, Panel], member: Member
) -> None:
    counts = queue_counts(project, member(Role.SENIOR))

    assert (counts.total, counts.rounds, sum(counts.subjects.values())) == (3, {1: 3}, 3)
    assert counts.verdicts == {"AA": 1, "EE": 1, "ER": 1}
    assert counts.gaps == {0: 2, 2: 1}
    assert counts.reasons == {"score_gap": 1, "verdict_split": 1, "different_corrections": 1}
    assert counts.only_reasons == counts.reasons


def test_next_goes_through_the_filter_and_begins_anew(
    project: Project, queue: dict[str, Panel], member: Member
) -> None:
    wanted = QueueFilter(sort="uid")
    rows = queue_of(project, member(Role.SENIOR), wanted, now=timezone.now())

    assert next_after(rows, queue["texts"], wanted) == queue["split"]
    assert next_after(rows, queue["gap"], wanted) == queue["texts"]
    assert next_after(rows.filter(pk=queue["gap"].pk), queue["gap"], wanted) is None


def test_tally_tells_verdicts_and_gap() -> None:
    assert (verdicts_of("R44 A42 E15"), gap_of("R44 A42 E15")) == ("AER", 3)
    assert (verdicts_of(""), gap_of("")) == ("", 0)


def test_filter_lasts_from_the_queue_to_the_next_dispute(
    queue: dict[str, Panel], member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(Role.SENIOR))
    listed = browser.get("/projects/ti/disputes/?sort=uid&gap=0").content.decode()
    assert f"/projects/ti/disputes/{queue['texts'].pk}/?gap=0&amp;sort=uid" in listed

    address = f"/projects/ti/disputes/{queue['texts'].pk}/"
    page = browser.get(f"{address}?gap=0&sort=uid")
    assert page.context["next_url"] == (
        f"/projects/ti/disputes/{queue['split'].pk}/?gap=0&sort=uid"
    )
    assert page.context["left"].count == 2
    settled = browser.post(
        f"{address}adjudicate/?gap=0&sort=uid", {"decision": "reject", "reason": "none is right"}
    )
    assert settled["Location"] == page.context["next_url"]


@pytest.mark.parametrize("kept", [1, 3])
def test_queue_page_costs_the_same_for_one_and_three(
    queue: dict[str, Panel],
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: Callable[..., object],
    kept: int,
) -> None:
    keep = [panel.pk for panel in queue.values()][:kept]
    Panel.objects.exclude(pk__in=keep).update(state="settled")
    browser = browser_of(member(Role.SENIOR))
    browser.get("/projects/ti/disputes/")

    with django_assert_num_queries(11):  # type: ignore[attr-defined]
        page = browser.get("/projects/ti/disputes/?sort=uid&round=1")
    assert len(page.context["rows"]) == kept


def test_visitors_see_each_other_until_their_time_is_over(
    queue: dict[str, Panel], member: Member, browser_of: Browser
) -> None:
    panel, now = queue["gap"], timezone.now()
    first, second = member(Role.SENIOR), member(Role.SENIOR)

    assert visit_dispute(panel=panel, visitor=first, now=now) == []
    assert visit_dispute(panel=panel, visitor=first, now=now) == []
    assert visit_dispute(panel=panel, visitor=second, now=now) == [first.name]
    listed = browser_of(second).get("/projects/ti/disputes/").content.decode()
    assert first.name in listed
    assert visit_dispute(panel=panel, visitor=second, now=now + VISIT) == []


def test_visit_is_said_to_the_page_and_to_the_api(
    queue: dict[str, Panel], member: Member, browser_of: Browser
) -> None:
    first, second = member(Role.SENIOR), member(Role.SENIOR)
    pk = queue["gap"].pk

    assert browser_of(first).post(f"/projects/ti/disputes/{pk}/visit/").json() == {"others": []}
    said = browser_of(second).post(f"/api/v1/disputes/{pk}/visit/").json()
    assert said == {"others": [first.name]}
    page = browser_of(second).get(f"/projects/ti/disputes/{pk}/")
    assert page.context["others"] == [first.name]


def test_api_lists_as_filtered_and_sorted(
    queue: dict[str, Panel], member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(Role.SENIOR))

    def ids(query: str) -> list[int]:
        return [
            row["id"]
            for row in browser.get(f"/api/v1/projects/ti/disputes/{query}").json()["results"]
        ]

    assert ids("?sort=uid") == [queue[name].pk for name in ("texts", "split", "gap")]
    assert ids("?reason=only-score_gap&verdicts=AA") == [queue["gap"].pk]
