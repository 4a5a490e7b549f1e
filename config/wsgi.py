"""The WSGI application."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from common.private_files import keep_private
from config.draining import draining

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

keep_private()
application = draining(get_wsgi_application())

reverse("home")  # loads all pages, for which the first request would wait
gc.collect()
gc.freeze()  # or each full collection looks through all that, for a fifth of a second
