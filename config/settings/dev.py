"""The embedded default: one machine, SQLite, no Redis, plain http on loopback."""

from config.settings.base import *  # noqa: F403
from config.settings.base import env
from config.settings.networks import readable_networks

WHITENOISE_AUTOREFRESH = True
# A model on this machine is what people try first.
ENDPOINT_NETWORKS = readable_networks(
    "ENDPOINT_NETWORKS", env.list("ENDPOINT_NETWORKS", default=["127.0.0.0/8", "::1/128"])
)
