"""No address tells a reviewer what a model said of an item, but their own work after the verdict."""

import pytest
from django.db import transaction

from annotation.models import Opinion
from review.enums import OpinionsShown
from review.models import Round
from tests.test_hidden_keys import NO_PAGES, read
from tests.world import REVIEWER, addresses, make_world

pytestmark = pytest.mark.django_db
AFTER_VERDICT = {"review:my-work", "api:my-work"}
SAID = "doubted-by-a-model"


def test_opinions_are_told_at_no_other_address() -> None:
    world = make_world()
    with transaction.atomic():
        Opinion.objects.update(state="doubt", confidence=0.875, words=SAID)
        Round.objects.update(opinions_shown=OpinionsShown.AFTER_VERDICT)
    client = world.browser(REVIEWER)
    everywhere = [each for each in addresses() if each[0] not in NO_PAGES]

    told = {
        name for name, pattern, _route in everywhere if SAID in read(world, client, name, pattern)
    }

    assert Opinion.objects.exists()
    assert told <= AFTER_VERDICT
