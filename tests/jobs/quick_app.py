"""The Celery application for the workers of `test_workers`, which notice the dead sooner than in use.

There a job can wait the ten seconds that Celery gives a process of its pool to come back.
"""

import config.celery
from config.celery import app

__all__ = ["app"]
config.celery.REAP_SECONDS = 0.5
app.conf.worker_lost_wait = 0.5
