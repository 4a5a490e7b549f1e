"""A run that reuses answers is killed at random moments: nothing that is stored is asked again."""

import random
import signal
import time
from typing import Any

import pytest

from evaluation.models import ModelResponse, Score
from jobs.models import Job
from tests.evaluation.builders import make_release, make_run, serving
from tests.evaluation.runs.test_actions import WORKER
from tests.factories import ModelSpecFactory, ProjectFactory
from tests.processes import start_python

KILLS, BATCH, CONCURRENCY = 10, 25, 4


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_run_killed_at_ten_moments_asks_again_only_what_was_in_flight() -> None:
    project, luck = ProjectFactory(slug="ti", target_language="bo"), random.Random(28)
    with serving(delay=0.02) as server:
        spec = ModelSpecFactory(project=project, endpoint__base_url=server.base_url)
        release = make_release(project, tests=60)
        first = make_run(project, release, spec=spec, methods=("direct",))
        start_python(WORKER, first.pk).communicate(timeout=170)
        bought = sum(server.answered.values())
        assert bought == 120

        run = make_run(project, release, spec=spec, epochs=4, concurrency=CONCURRENCY)
        for _kill in range(KILLS):
            worker = start_python(WORKER, run.pk)
            _wait_until(server, sum(server.answered.values()) + luck.randint(1, 60))
            worker.send_signal(signal.SIGKILL)
            worker.communicate(timeout=120)
            Job.objects.filter(pk=run.job_id).update(crash_count=0)  # three deaths end a job
        output, _nothing = start_python(WORKER, run.pk).communicate(timeout=170)

        answered = sum(server.answered.values()) - bought
    assert output.split()[:2] == ["ready", "done"]
    rows = ModelResponse.objects.filter(run=run, state="answered")
    assert rows.exclude(reused_from=None).count() == 120
    assert rows.count() == rows.values("release_item", "epoch").distinct().count() == 480
    assert 360 <= answered <= 360 + KILLS * (BATCH + CONCURRENCY)
    assert Score.objects.filter(run=run).count() == 480 * 3


def _wait_until(server: Any, count: int) -> None:
    deadline = time.monotonic() + 150
    while sum(list(server.answered.values())) < count:
        assert time.monotonic() < deadline, "the worker does not ask"
        time.sleep(0.005)
