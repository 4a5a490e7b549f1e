"""What teams were told before it was stored is kept, by the rules of now."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from annotation.items.keys import correct_key
from jobs.worker import run_now
from releases.models import Release
from submissions.actions.rescoring import start_rescoring
from submissions.models import Participant, Telling
from submissions.presenters import as_json
from submissions.queries import team_accounts
from tests.submissions.builders import (
    NOW,
    answers,
    join,
    make_part,
    scored,
    take_submissions,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def test_accounts_and_categories_are_those_of_before(project) -> None:
    take_submissions(project, per_day=100, per_month=1000)
    release = make_part(project, n=60)
    sender = join(project)
    first, second = scored(release, sender, 5), scored(release, sender, 40)
    scored(release, join(project, team="Shigatse"), 20)
    correct_a_key(release, sender)
    accounts, told = team_accounts(project), as_json(second)
    kinds = list(Telling.objects.order_by("team", "kind").values_list("team", "kind"))
    nodes = [name for app, name in MigrationLoader(connection).graph.nodes if app == "submissions"]
    (tellings,) = [name for name in nodes if name.endswith("_tellings")]
    ((_app, before),) = [
        each
        for each in MigrationLoader(connection).get_migration("submissions", tellings).dependencies
        if each[0] == "submissions"
    ]
    try:
        migrate_to(before)
    finally:
        migrate_to(max(nodes))
    second.refresh_from_db()
    assert (team_accounts(project), as_json(second)) == (accounts, told)
    assert list(Telling.objects.order_by("team", "kind").values_list("team", "kind")) == kinds
    requests = Telling.objects.filter(team=sender.team, kind="answer").order_by("pk")
    assert list(requests.values_list("submission", flat=True)) == [first.pk, second.pk]


def correct_a_key(release: Release, sender: Participant) -> None:
    placed = release.items.select_related("item__project").get(position=50)
    key = answers(release, 0)[50][1]
    correct_key(item=placed.item, key=key, reason="Wrong.", actor=sender.user, now=NOW)
    rescoring = start_rescoring(release=release, actor=sender.user, now=NOW)
    assert rescoring.job is not None
    assert run_now(rescoring.job).state == "done"


def migrate_to(name: str) -> None:
    MigrationExecutor(connection).migrate([("submissions", name)])
