"""Pausing a person with a message, and what they read of it."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, User
from projects import actions
from projects.enums import Role
from projects.models import Membership, Project
from review.enums import SeatState
from review.models import Assignment, Judgement, Round
from review.seats.actions.seats import claim_seat, reserve_seats
from review.seats.refusals import PausedWithSeat, ReviewerPaused
from review.workbench.actions.judgements import submit_judgement
from tests.review.conftest import content

pytestmark = pytest.mark.django_db
KIND = "Thank you! Could we talk about rounding on Tuesday?"


def paused(user: User, project: Project, message: str = KIND) -> Membership:
    membership = Membership.objects.get(user=user, project=project)
    actions.pause_member(membership=membership, message=message, actor=None, now=timezone.now())
    return membership


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_items_reserved_ahead_go_back_and_the_one_on_the_desk_stays(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    project: Project,
) -> None:
    round_ = opened(4)
    (person,) = reviewers(1)
    held = reserve_seats(round_=round_, reviewer=person, now=timezone.now())

    paused(person, project)

    kept = Assignment.objects.filter(reviewer=person, state=SeatState.CLAIMED)
    assert [seat.pk for seat in kept] == [held[0].pk]
    with pytest.raises(PausedWithSeat, match="Tuesday"):
        reserve_seats(round_=round_, reviewer=person, now=timezone.now())


def test_what_was_judged_offline_counts_after_the_pause(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    project: Project,
) -> None:
    round_ = opened(2)
    (person,) = reviewers(1)
    seat = reserve_seats(round_=round_, reviewer=person, now=timezone.now())[1]
    membership = paused(person, project)

    def submit() -> Judgement:
        return submit_judgement(
            assignment=Assignment.objects.get(pk=seat.pk),
            reviewer=person,
            revision_id=seat.panel.revision_id,
            content=content(),
            idempotency_key="offline",
            now=timezone.now(),
        )

    with pytest.raises(ReviewerPaused, match="Tuesday"):
        submit()
    actions.resume_member(membership=membership, actor=None, now=timezone.now())

    assert submit() == submit() == Judgement.objects.get()


def test_person_reads_the_message_at_home_and_at_the_workbench(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    project: Project,
) -> None:
    round_ = opened(2)
    person, other = reviewers(2)
    workbench = f"/projects/{project.slug}/rounds/{round_.number}/workbench/"
    membership = paused(person, project)
    client = signed_in(person)

    assert KIND in client.get("/").content.decode()
    assert KIND in client.get(workbench).content.decode()
    refused = client.post(f"/api/v1/rounds/{round_.pk}/claim/")
    assert (refused.status_code, refused.json()["code"]) == (403, "reviewer_paused")
    assert KIND in refused.json()["detail"]
    assert KIND not in signed_in(other).get("/").content.decode()
    actions.resume_member(membership=membership, actor=None, now=timezone.now())
    assert KIND not in client.get("/").content.decode()
    assert claim_seat(round_=round_, reviewer=person, now=timezone.now())


def test_message_cannot_bring_markup(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    project: Project,
) -> None:
    opened(1)
    (person,) = reviewers(1)
    paused(person, project, "<script>alert(1)</script> 100 %s %(x)s")

    page = signed_in(person).get("/").content.decode()

    assert "<script>alert" not in page
    assert "100 %s %(x)s" in page


def test_pausing_again_changes_the_message_once(
    member: Callable[..., User], project: Project
) -> None:
    person = member(Role.REVIEWER)
    paused(person, project)
    paused(person, project)
    membership = paused(person, project, "  New words ")

    membership.refresh_from_db()
    assert membership.pause_message == "New words"
    events = AuditEvent.objects.filter(verb="member.paused").order_by("pk")
    assert [event.data["message"] for event in events] == [KIND, "New words"]


def test_message_that_is_too_long_is_refused(member: Callable[..., User], project: Project) -> None:
    person = member(Role.REVIEWER)

    with pytest.raises(actions.MessageTooLong):
        paused(person, project, "x" * 1001)

    assert not Membership.objects.get(user=person).is_paused


def test_manager_pauses_and_resumes_by_page_and_api(
    member: Callable[..., User], project: Project
) -> None:
    person = member(Role.REVIEWER)
    client = signed_in(member(Role.MANAGER))
    membership = Membership.objects.get(user=person)
    page, api = (
        f"{before}/projects/{project.slug}/members/{membership.pk}/" for before in ("", "/api/v1")
    )

    assert "Pause member" in client.get(page).content.decode()
    client.post(f"{page}pause/", {"message": KIND})
    membership.refresh_from_db()
    assert (membership.is_paused, membership.pause_message) == (True, KIND)
    assert KIND in client.get(page).content.decode()
    client.post(f"{api}resume/")
    membership.refresh_from_db()
    assert (membership.is_paused, membership.pause_message) == (False, "")
    assert client.post(f"{api}pause/", content_type="application/json").json()["is_paused"]
    told = client.post(f"{api}pause/", {"message": ["x"]}, content_type="application/json")
    assert told.status_code == 400
