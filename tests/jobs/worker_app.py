"""Loaded by the workers of `test_celery_workers` (celery --include): declares kinds for their jobs.

What the names of this test's keys in Redis begin with comes from the environment: other tests run
workers at the same time, and would take its messages.
"""

import os
from dataclasses import replace

from celery import current_app

from jobs.enums import Queue
from jobs.kinds import register_kind
from tests.jobs.conftest import TESTING

told = replace(TESTING, work="tests.jobs.works.do_as_told")
register_kind(told)
register_kind(replace(told, name="calling", queue=Queue.CALLS))
options = {"global_keyprefix": os.environ["TEST_KEY_PREFIX"]}
current_app.conf.broker_transport_options = current_app.conf.broker_transport_options | options
