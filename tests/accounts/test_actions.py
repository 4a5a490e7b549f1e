"""What the actions refuse on their own, whatever form stood before them."""

import pytest
from django.utils import timezone

from accounts.actions import PersonInvalid, accept_invitation, invite_user
from tests.factories import UserFactory


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["", "  ", "x" * 151, "a\0b"], ids=["none", "blank", "long", "nul"]
)
def test_invitation_accepted_with_a_name_that_is_none_is_refused_and_stays_open(name: str) -> None:
    now = timezone.now()
    issued = invite_user(email="new@example.org", name="N", actor=UserFactory(), now=now)
    assert issued is not None
    new = {"secret": issued.secret, "password": "a stack of tall lines", "now": now}

    with pytest.raises(PersonInvalid) as refusal:
        accept_invitation(name=name, **new)

    assert list(refusal.value.fields) == ["name"]
    assert accept_invitation(name="Dolma", **new).name == "Dolma"
