"""Settings of webhooks: an authority of one's own, and what cannot be read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import AuditEvent
from tests.webhooks.receiver import HERE, Receiver
from webhooks import sending
from webhooks.actions.managing import NewSecret
from webhooks.checks import authorities_are_readable
from webhooks.enums import Problem
from webhooks.models import Delivery
from webhooks.worker import send_webhooks

pytestmark = pytest.mark.django_db


@pytest.fixture
def happened(
    issued: NewSecret, happen: Callable[..., AuditEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event whose receiver is on loopback under its name."""
    monkeypatch.setattr(
        "common.outgoing.socket.getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("127.0.0.1", 0))]
    )
    happen("round.closed", now=timezone.now())


@pytest.mark.usefixtures("happened")
def test_authority_of_ones_own_is_trusted_once_the_setting_names_it(
    receiver: Receiver, settings: Any
) -> None:
    send_webhooks()
    assert Delivery.objects.get().problem == Problem.TLS and not receiver.requests
    Delivery.objects.update(due_at=timezone.now())
    settings.WEBHOOK_AUTHORITIES = str(HERE / "cert.pem")
    send_webhooks()
    assert Delivery.objects.get().state == "delivered" and len(receiver.requests) == 1


def test_usual_authorities_stay_trusted() -> None:
    usual = sending.trusted_certificates().cert_store_stats()["x509_ca"]
    more = sending.trusted_certificates(str(HERE / "cert.pem")).cert_store_stats()["x509_ca"]
    assert more == usual + 1 > 1


@pytest.mark.usefixtures("happened")
def test_file_of_authorities_that_cannot_be_read_costs_no_try(
    settings: Any, tmp_path: Path
) -> None:
    settings.WEBHOOK_AUTHORITIES = str(tmp_path / "gone.pem")
    with pytest.raises(FileNotFoundError):
        send_webhooks()
    row = Delivery.objects.get()
    assert (row.state, row.tries, row.problem) == ("waiting", 0, "")


def test_check_tells_of_a_file_of_authorities_that_is_none(settings: Any, tmp_path: Path) -> None:
    assert authorities_are_readable(None) == []
    settings.WEBHOOK_AUTHORITIES = str(HERE / "cert.pem")
    assert authorities_are_readable(None) == []
    for content in (None, "no certificate"):
        path = tmp_path / "own.pem"
        if content is not None:
            path.write_text(content)
        settings.WEBHOOK_AUTHORITIES = str(path)
        (error,) = authorities_are_readable(None)
        assert (error.id, str(path) in error.msg) == ("lotsawa.E003", True)
