"""A worker that is killed while it publishes, in a process of its own."""

import signal
import time

import pytest
from django.conf import settings

from jobs.worker import run_now
from tests.processes import start_python
from tests.releases.hub.stand_in import TOKEN, HubStandIn
from tests.releases.hub.test_hub import PLACE, assert_is_the_release, make_release, start

WORKER = """
import sys, django
django.setup()
from jobs.models import Job
from jobs.worker import run_now
run_now(Job.objects.get(pk=int(sys.argv[1])))
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_worker_killed_while_a_file_goes_up_leaves_a_job_that_the_next_one_ends(
    hub: HubStandIn,
) -> None:
    release = make_release()
    hub.held = "/store/"
    job = start(release)
    folder = settings.RELEASE_FOLDER.parent
    worker = start_python(WORKER, job.pk, VAR=folder, HUB_ENDPOINT=hub.url, HUB_TOKEN=TOKEN)
    deadline = time.monotonic() + 150
    while not any("/store/" in call for call in list(hub.calls)):
        assert worker.poll() is None and time.monotonic() < deadline, "the worker sends nothing"
        time.sleep(0.01)
    worker.kill()
    worker.communicate(timeout=60)
    assert worker.returncode == -signal.SIGKILL
    job.refresh_from_db()
    assert job.state == "running" and len(hub.repositories[PLACE].commits) == 1
    hub.held = ""
    hub.released.set()
    assert run_now(job).state == "done"
    assert_is_the_release(hub, release)
