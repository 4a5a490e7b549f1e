"""The Celery application for the workers of `test_celery_workers`, which notice the dead sooner than in use.

There a job can wait the ten seconds that Celery gives a process of its pool to come back.
"""

import config.worker_threads
from config.celery import app

__all__ = ["app"]
config.worker_threads.REAP_SECONDS = 0.5
app.conf.worker_lost_wait = 0.5
