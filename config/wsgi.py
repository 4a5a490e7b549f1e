"""The WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

from common.private_files import keep_private

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

keep_private()
application = get_wsgi_application()
