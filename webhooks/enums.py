"""What can be sent, how far a delivery is, and what went wrong with it."""

from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class EventName(TextChoices):
    RELEASE_BUILT = "release.built", _("a release was built")
    RELEASE_PUBLISHED = "release.published", _("a release was published")
    RELEASE_YANKED = "release.yanked", _("a release was yanked")
    ROUND_OPENED = "round.opened", _("a round was opened")
    ROUND_PAUSED = "round.paused", _("a round was paused")
    ROUND_RESUMED = "round.resumed", _("a round was resumed")
    ROUND_CLOSED = "round.closed", _("a round was closed")
    ROUND_DISCARDED = "round.discarded", _("a round was discarded")
    DISPUTE_OPENED = "dispute.opened", _("a dispute was opened")
    DISPUTE_SETTLED = "dispute.settled", _("a dispute was settled")
    DISPUTE_REOPENED = "dispute.reopened", _("a dispute was reopened")
    JOB_STARTED = "job.started", _("a job was started")
    JOB_RESUMED = "job.resumed", _("a job was resumed")
    JOB_ENDED = "job.ended", _("a job ended: done, failed or cancelled")
    PING = "ping", _("a test")


CHOSEN = tuple(name for name in EventName if name != EventName.PING)
"""The events to choose from; a ping goes to every webhook."""


class WebhookState(TextChoices):
    ACTIVE = "active", _("active")
    FAILING = "failing", _("switched off, because it does not answer")


class DeliveryState(TextChoices):
    HELD = "held", _("waits for the end of a job")
    WAITING = "waiting", _("waiting")
    DELIVERED = "delivered", _("delivered")
    FAILED = "failed", _("given up")


class Problem(TextChoices):
    """Why a try failed."""

    NONE = "", _("none")
    STATUS = "status", _("The receiver answered with an error.")
    REDIRECT = "redirect", _("The receiver answered with a redirect, which is not followed.")
    TIMEOUT = "timeout", _("The receiver did not answer in time.")
    CONNECTION = "connection", _("The connection was refused or broken off.")
    TLS = "tls", _("The certificate of the receiver cannot be trusted.")
    UNRESOLVED = "unresolved", _("The host name of the address is not known.")
    PRIVATE = "private", _("The host name leads to a private network, which is not allowed.")
    PORT = "port", _("The port of the address is not allowed.")
    LOST = "lost", _("A worker stopped while it sent the last try.")
    UNREADABLE = "unreadable", _("What happened can no longer be read.")


WAYS_OUT: dict[str, Any] = {
    Problem.STATUS: _("Read the log of the receiver."),
    Problem.REDIRECT: _(
        "Add a webhook with the address that it redirects to, and remove this one."
    ),
    Problem.TIMEOUT: _("It must answer within ten seconds and do the work afterwards."),
    Problem.CONNECTION: _("Check that it runs and that no firewall stops this server."),
    Problem.TLS: _(
        "It may have expired, be for another name, or lack its intermediate certificates. If your "
        "own certificate authority signed it, the administrator can name that authority with "
        "LOTSAWA_WEBHOOK_AUTHORITIES."
    ),
    Problem.UNRESOLVED: _("Check the spelling of the address."),
    Problem.PRIVATE: _("The administrator can allow the network with LOTSAWA_WEBHOOK_NETWORKS."),
    Problem.PORT: _("The administrator can allow it with LOTSAWA_WEBHOOK_PORTS."),
}
"""What whoever reads of a problem can do about it."""
