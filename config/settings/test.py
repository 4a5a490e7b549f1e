"""Settings of the test suite: quick hashing, own folders, tasks run only when a test asks."""

import os
import tempfile
from pathlib import Path

os.environ["LOTSAWA_VAR"] = tempfile.mkdtemp(prefix="lotsawa-test-")
os.environ["LOTSAWA_DATABASE_URL"] = os.environ.get("LOTSAWA_TEST_DATABASE_URL", "")
os.environ["LOTSAWA_REDIS_URL"] = ""

from config.settings.base import *  # noqa: F403
from config.settings.base import VAR

# What is drawn with the server's secret is drawn alike each time.
SECRET_KEY = "of the tests, and of nobody else"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
WHITENOISE_AUTOREFRESH = True
# A file, not memory: the threads of a concurrency test each need their own connection to one database.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(Path(VAR) / "test.sqlite3")}
    # Many threads get the one lock in no order, so on a busy machine one may wait for long.
    DATABASES["default"]["OPTIONS"]["timeout"] = 120
# Each request is told twice, which is a tenth of what it costs; nobody reads it here.
LOGGING["loggers"]["django_structlog"] = {"level": "ERROR"}
# Endpoints of tests are servers on loopback.
ENDPOINT_NETWORKS = ["127.0.0.0/8", "::1/128"]
SUBMISSION_NETWORKS = ["127.0.0.0/8"]
