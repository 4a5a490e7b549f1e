"""What the actions refuse on their own, whatever form stood before them."""

import pytest
from django.utils import timezone

from accounts.actions import (
    InvitationInvalid,
    PersonInvalid,
    accept_invitation,
    invite_user,
    set_password,
)
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


@pytest.mark.django_db
def test_invitation_of_a_person_who_got_a_password_since_is_over() -> None:
    now = timezone.now()
    issued = invite_user(email="new@example.org", name="N", actor=UserFactory(), now=now)
    assert issued is not None
    user = issued.invitation.user
    set_password(user=user, password="their very own words", actor=None, now=now)

    with pytest.raises(InvitationInvalid):
        accept_invitation(
            secret=issued.secret, name="Thief", password="a stack of tall lines", now=now
        )

    user.refresh_from_db()
    assert (user.name, user.check_password("their very own words")) == ("N", True)
