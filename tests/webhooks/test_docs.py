"""The lines of the documentation that receivers copy do what they say."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine

from accounts.models import AuditEvent
from tests.webhooks.conftest import NOW, Worker
from tests.webhooks.receiver import Receiver
from webhooks.actions.managing import NewSecret

PAGE = Path(__file__).parents[2] / "docs" / "webhooks.md"


@pytest.mark.django_db
def test_lines_that_check_a_signature_tell_true_from_false(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Callable[..., AuditEvent]
) -> None:
    [lines] = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict[str, Callable[..., bool]] = {}
    exec(lines, names)
    is_genuine = names["is_genuine"]
    happen("round.closed")
    worker.work()
    [request] = receiver.requests
    headers, body = request["headers"], request["body"]
    with time_machine.travel(NOW, tick=False):
        assert is_genuine(issued.secret, headers, body)
        assert not is_genuine(issued.secret, headers, body + b" ")
        assert not is_genuine(issued.secret, headers | {"webhook-id": "x"}, body)
        assert not is_genuine(f"whsec_{'A' * 43}=", headers, body)
    with time_machine.travel(NOW + timedelta(minutes=6), tick=False):
        assert not is_genuine(issued.secret, headers, body)
