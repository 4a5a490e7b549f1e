"""A stand-in for the Hugging Face Hub, to which this server is set up to publish."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.releases.hub.stand_in import TOKEN, HubStandIn, hub_stand_in


@pytest.fixture
def hub(settings: Any) -> Iterator[HubStandIn]:
    with hub_stand_in() as found:
        settings.HUB_ENDPOINT, settings.HUB_TOKEN = found.url, TOKEN
        yield found
