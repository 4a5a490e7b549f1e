"""Loaded by the workers of `test_workers` (celery --include): declares a kind for their jobs.

The work comes from the environment, and so does what the names of this test's keys in Redis begin
with: other tests run workers at the same time, and would take its messages.
"""

import os
from dataclasses import replace

from celery import current_app

from jobs.kinds import register_kind
from tests.jobs.conftest import TESTING

register_kind(replace(TESTING, work=f"tests.jobs.works.{os.environ['TEST_WORK']}"))
if os.environ["TEST_KEY_PREFIX"]:
    options = {"global_keyprefix": os.environ["TEST_KEY_PREFIX"]}
    current_app.conf.broker_transport_options = current_app.conf.broker_transport_options | options
