"""Four processes on PostgreSQL, one of them killed: nothing is judged twice and nothing is lost."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from accounts.models import User
from review.enums import PanelState
from review.models import Assignment, Judgement, Panel, Round

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

ROOT = Path(__file__).resolve().parents[3]
ITEMS, PROCESSES = 500, 4
KILLED_AFTER = 60

REVIEWER = """
import sys, time, uuid, django
django.setup()
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
from django.utils import timezone
from accounts.models import User
from review.workbench.actions.judgements import JudgementContent, submit_judgement
from review.seats.actions.seats import claim_seat
from review.models import Round
round_ = Round.objects.get(pk=int(sys.argv[2]))
people = list(User.objects.filter(pk__in=[int(pk) for pk in sys.argv[3:]]))
said = JudgementContent(verdict="approve", ratings={"domain": 4, "cultural": 4})
while people:
    for user in list(people):
        seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
        if seat is None:
            people.remove(user)
            continue
        judgement = submit_judgement(
            assignment=seat, reviewer=user, revision_id=seat.panel.revision_id, content=said,
            idempotency_key=uuid.uuid4().hex, now=timezone.now(),
        )
        print(judgement.pk, flush=True)
"""


@pytest.fixture
def postgres(db: None) -> str:
    return str(connection.settings_dict["NAME"])


def start(database: str, round_: Round, people: list[User]) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-c",
        REVIEWER,
        database,
        str(round_.pk),
        *(str(u.pk) for u in people),
    ]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.postgres
@pytest.mark.timeout(600)
@pytest.mark.django_db(transaction=True)
def test_one_of_four_processes_killed_leaves_exactly_1000_judgements(
    transactional_db: None,
    postgres: str,
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> None:
    round_ = opened(ITEMS, panel_size=2)
    people = reviewers(2 * PROCESSES)
    started = [start(postgres, round_, people[2 * n : 2 * n + 2]) for n in range(PROCESSES)]
    unlucky = started.pop(random.Random(1).randrange(PROCESSES))
    told = _kill_after(unlucky, KILLED_AFTER)

    for process in started:
        told += [int(line) for line in process.communicate(timeout=400)[0].split()]
        assert process.returncode == 0
    # What the killed one held comes free when its time is over; a survivor takes it.
    Assignment.objects.filter(state="claimed").update(expires_at=round_.opened_at)
    last = start(postgres, round_, people)
    told += [int(line) for line in last.communicate(timeout=100)[0].split()]

    stored = set(Judgement.objects.values_list("pk", flat=True))
    assert len(stored) == 2 * ITEMS
    assert set(told) <= stored
    assert len(told) == len(set(told)) >= 2 * ITEMS - 1
    assert set(Counter(Judgement.objects.values_list("panel", "reviewer")).values()) == {1}
    assert set(Counter(Judgement.objects.values_list("panel", flat=True)).values()) == {2}
    assert Panel.objects.filter(state=PanelState.SETTLED, tally="A44 A44").count() == ITEMS
    assert Round.objects.get(pk=round_.pk).judged_count == 2 * ITEMS


def _kill_after(process: "subprocess.Popen[str]", count: int) -> list[int]:
    """Read `count` receipts, kill the process in the middle of its work, return what it told."""
    out: Any = process.stdout
    told = [int(out.readline()) for _number in range(count)]
    time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    rest = out.read().splitlines(keepends=True)
    process.wait(10)
    return told + [int(line) for line in rest if line.endswith("\n")]
