"""Lists of submissions cost the same for many as for one, and are told in pages."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from releases.models import Release
from submissions.models import Participant
from submissions.presenters import all_as_json, as_json
from submissions.queries import project_submissions
from tests.submissions.builders import answers, join, score, send

Member = Callable[..., User]
Browser = Callable[[User], Client]

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_list_tells_of_each_what_is_told_of_it_alone_in_as_many_queries(
    release: Release, sender: Participant
) -> None:
    score(send(release, sender, answers(release, 10)))
    with CaptureQueriesContext(connection) as one:
        all_as_json(list(project_submissions(release.project)))
    score(send(release, sender, answers(release, 24)))
    other = join(release.project, team="Shigatse")
    score(send(release, other, answers(release, 11)))
    send(release, other, answers(release, 12))
    with CaptureQueriesContext(connection) as many:
        told = all_as_json(list(project_submissions(release.project)))
    assert len(many) == len(one) + 1  # the queue, as one of them waits
    assert told == [as_json(row) for row in project_submissions(release.project)]
    assert [each["place"] for each in told] == [1, None, None, None]


def test_managers_read_submissions_in_pages_the_newest_first(
    release: Release, sender: Participant, member: Member, browser_of: Browser
) -> None:
    sent = [send(release, sender, answers(release, right)).pk for right in (10, 11, 12)]
    manager = browser_of(member("manager"))
    first = manager.get(f"/api/v1/projects/{release.project.slug}/submissions/?page_size=2").json()
    rest = manager.get(first["next"]).json()
    listed = [each["submission"] for page in (first, rest) for each in page["results"]]
    assert (listed, rest["next"]) == (sent[::-1], None)


def test_a_team_reads_its_submissions_in_pages_the_newest_first(
    release: Release, sender: Participant, browser_of: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = [send(release, sender, answers(release, right)).pk for right in (10, 11, 12)]
    browser = browser_of(sender.user)
    first = browser.get("/api/v1/releases/ti/1.0.0/submissions/?page_size=2").json()
    rest = browser.get(first["next"]).json()
    listed = [each["submission"] for page in (first, rest) for each in page["results"]]
    assert (listed, rest["next"]) == (sent[::-1], None)
    monkeypatch.setattr("submissions.views.sending.PAGE_ROWS", 2)
    page = browser.get("/submit/ti/1.0.0/")
    later = browser.get("/submit/ti/1.0.0/", {"cursor": page.context["page"].next_cursor})
    shown = [row.pk for answer in (page, later) for row, _words in answer.context["submissions"]]
    assert shown == sent[::-1]
