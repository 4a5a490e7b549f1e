"""Managers are told of teams that wait; teams are told that they were admitted, and of other scores."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.mail import send_waiting_emails
from accounts.models import AuditEvent, User
from jobs.worker import run_now
from notifications.actions.delivery import deliver_events
from notifications.presenters import present
from notifications.queries import notifications_for, shown
from projects.enums import Role
from projects.models import Project
from submissions.actions.rescoring import start_rescoring
from submissions.actions.teams import admit_team, join_team
from submissions.models import Participant
from tests.factories import UserFactory
from tests.notifications.conftest import told
from tests.submissions.builders import answers, join, make_part, scored, take_submissions
from tests.submissions.test_scoring import correct

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Work = Callable[..., None]


def ask(project: Project, user: User, team: str = "Lhasa", code: str = "") -> Participant:
    return join_team(
        project=project, user=user, team=team, code=code, affiliation="U", terms_version=1,
        now=timezone.now(),
    )  # fmt: skip


def test_managers_are_told_once_of_a_team_that_waits(
    project: Project, member: Member, work: Work, browser_of: Callable[[User], Client]
) -> None:
    take_submissions(project, admission="admitted")
    make_part(project)
    manager, senior = member(Role.MANAGER), member(Role.SENIOR)
    place = ask(project, UserFactory())
    ask(project, UserFactory(), code=place.team.code)
    work()
    words = "A team wants to send submissions and waits to be admitted."
    assert told(manager) == [("team_waits", words)]
    assert told(senior) == []
    home = browser_of(manager).get("/").content.decode()
    assert "1 team waits to be admitted" in " ".join(home.split())
    assert "/projects/ti/submissions/#teams" in home
    admit_team(team=place.team, actor=manager, now=timezone.now())
    assert "waits to be admitted" not in browser_of(manager).get("/").content.decode().replace(
        words, ""
    )


def test_a_team_that_need_not_wait_is_told_to_nobody(
    project: Project, member: Member, work: Work
) -> None:
    take_submissions(project)
    manager = member(Role.MANAGER)
    ask(project, UserFactory())
    work()
    assert told(manager) == []


def test_an_admitted_team_is_told_and_gets_the_digest(
    project: Project, member: Member, work: Work
) -> None:
    take_submissions(project, admission="admitted")
    person, stranger = UserFactory(), UserFactory()
    place = ask(project, person)
    ask(project, stranger, team="Shigatse")
    admit_team(team=place.team, actor=member(Role.MANAGER), now=timezone.now())
    work()
    assert told(person) == [("admitted", "Your team was admitted. You can send submissions now.")]
    assert told(stranger) == []
    work(timezone.now() + timedelta(hours=2))
    send_waiting_emails(clock=lambda: timezone.now() + timedelta(hours=2))
    to = [message for message in mail.outbox if message.to == [person.email]]
    assert ["teams of yours that were admitted" in str(message.body) for message in to] == [True]


def test_teams_are_told_when_corrected_keys_change_their_scores(
    project: Project, member: Member, work: Work
) -> None:
    take_submissions(project)
    release = make_part(project, 60)
    changed, same = join(project), join(project, team="Shigatse")
    scored(release, changed, 40)
    scored(release, same, 20)
    manager = member(Role.MANAGER)
    for number in range(20, 40):  # those that the second team has wrong in the corrected way
        correct(release, number, answers(release, 0)[number][1], manager)
    rescoring = start_rescoring(release=release, actor=manager, now=timezone.now())
    assert rescoring.job is not None
    run_now(rescoring.job)
    deliver_events(now=timezone.now())
    words = "Keys of version 1.0.0 were corrected, and scores of your team have changed."
    assert told(changed.user)[0] == ("rescored", words)
    row = present(next(iter(shown(notifications_for(changed.user).filter(kind="rescored")))))
    assert row.link == "/submit/ti/1.0.0/"
    event = AuditEvent.objects.get(verb="submissions.scores_changed")
    assert event.data == {"version": "1.0.0", "teams": sorted([changed.team_id, same.team_id])}
    run_now(rescoring.job)
    assert AuditEvent.objects.filter(verb="submissions.scores_changed").count() == 1
