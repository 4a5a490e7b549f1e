"""Somebody with an account."""

import pytest

from accounts.models import User
from tests.factories import UserFactory


@pytest.fixture
def person(db: None) -> User:
    return UserFactory(email="dolma@example.org", name="Dolma")
