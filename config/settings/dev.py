"""The embedded default: one machine, SQLite, the file broker, plain http on loopback."""

from config.settings.base import *  # noqa: F403

WHITENOISE_AUTOREFRESH = True
