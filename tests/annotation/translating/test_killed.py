"""A translation job is killed at random moments: no stored answer is asked again, no item is half stored."""

import random
import signal
import time
from typing import Any

import pytest

from annotation.models import Translation, TranslationCall, TranslationJob
from jobs.models import Job
from tests.annotation.translating.builders import make_items, make_job
from tests.evaluation.builders import serving
from tests.factories import EndpointFactory, ModelSpecFactory, ProjectFactory
from tests.processes import start_python

ITEMS, CALLS, KILLS, BATCH, CONCURRENCY = 24, 7, 3, 25, 4
WORKER = """
import sys, django
django.setup()
from annotation.models import TranslationJob
from annotation.translating.execution import perform_translation
from jobs.worker import run_now
started = TranslationJob.objects.get(pk=int(sys.argv[1]))
print(run_now(started.job, perform_translation).state, flush=True)
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_job_killed_at_three_moments_asks_no_stored_answer_again() -> None:
    project, luck = ProjectFactory(slug="ti", target_language="bo"), random.Random(27)
    make_items(project, ITEMS)
    lost = 0
    with serving(delay=0.02) as server:
        endpoint = EndpointFactory(project=project, base_url=server.base_url)
        spec = ModelSpecFactory(project=project, endpoint=endpoint, model="stand-in-judge")
        started = make_job(project, spec=spec, strategy="rank", concurrency=CONCURRENCY)
        for _kill in range(KILLS):
            worker = start_python(WORKER, started.pk)
            _wait_until(server, _asked(server) + luck.randint(5, 45))
            worker.send_signal(signal.SIGKILL)
            worker.communicate(timeout=60)
            before, lost = lost, _asked(server) - _stored(started)
            assert lost - before <= BATCH + 2 * CONCURRENCY
            _check_no_half_item(started)
            Job.objects.filter(pk=started.job_id).update(crash_count=0)  # three deaths end a job
        output, _nothing = start_python(WORKER, started.pk).communicate(timeout=120)
        asked = _asked(server)

    assert output.split() == ["done"]
    assert started.items.filter(state="translated").count() == ITEMS
    again = TranslationCall.objects.filter(translated_item__translation_job=started, attempt__gt=1)
    assert list(again.values_list("translated_item", "step", "attempt", "text")) == []
    assert _stored(started) == ITEMS * CALLS
    # Requests on their way at the last kill may have been answered after it was counted.
    assert lost <= asked - ITEMS * CALLS <= lost + CONCURRENCY
    _check_no_half_item(started)


def _asked(server: Any) -> int:
    return sum(list(server.answered.values()))


def _stored(started: TranslationJob) -> int:
    calls = TranslationCall.objects.filter(translated_item__translation_job=started)
    return calls.filter(state="answered").count()


def _check_no_half_item(started: TranslationJob) -> None:
    """Every text of the system belongs to an item that is translated, with all its options."""
    texts = Translation.objects.filter(system=started.system)
    whole = started.items.filter(state="translated", revision__translation__in=texts)
    assert texts.count() == whole.count()
    assert all(len(row.revision.options) == 4 for row in whole.select_related("revision"))


def _wait_until(server: Any, count: int) -> None:
    deadline = time.monotonic() + 60
    while _asked(server) < count:
        assert time.monotonic() < deadline, "the worker does not ask"
        time.sleep(0.005)
