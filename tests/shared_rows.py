"""Rows that the tests of a module share: made once, and taken back behind the last of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

T = TypeVar("T")


@contextmanager
def shared_rows(blocker: DjangoDbBlocker, make: Callable[[], T]) -> Iterator[T]:
    """Make rows for all tests of a module; what a test changes of them is taken back behind it.

    For a fixture of `scope="module"` that depends on `django_db_setup`. A test gets a `deepcopy` of
    what is yielded, so that none sees how another one changed an object. Every test of the module
    that uses the database sees the rows, and none may be marked `transaction=True`.
    """
    with blocker.unblock(), transaction.atomic():
        yield make()
        transaction.set_rollback(True)


def made_once(make: Callable[[], T]) -> Any:
    """A fixture with the rows of `make`, for the tests of one module."""

    @pytest.fixture(scope="module")
    def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[T]:
        with shared_rows(django_db_blocker, make) as rows:
            yield rows

    return made
