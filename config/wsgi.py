"""The WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

from common.private_files import keep_private
from config.draining import draining

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

keep_private()
application = draining(get_wsgi_application())
