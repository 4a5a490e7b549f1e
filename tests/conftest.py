"""Fixtures shared by the whole suite."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db import connection
from django.test import Client
from django.utils import timezone, translation
from pytest_django import DjangoDbBlocker
from rest_framework.test import APIClient

from accounts.actions import create_token
from accounts.mail import send_waiting_emails
from accounts.models import User
from endpoints import rate_limits
from projects.enums import Role
from projects.models import Project
from tests.databases import create_database
from tests.factories import MembershipFactory, ProjectFactory, UserFactory
from tests.shared_rows import shared_rows
from tests.world import World, make_world

# How long an example takes is the machine's affair, which may be busy.
hypothesis.settings.register_profile(
    "lotsawa",
    max_examples=50,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("lotsawa")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


# Ten thousand tests and their modules live to the end: to look through them again and again for what
# nobody uses any more is a sixth of what the suite costs.
gc.disable()


def pytest_collection_finish() -> None:
    """From here on, look for rubbish in what the tests themselves make."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """Remove this run's own folder, which config.settings.test has made."""
    if Path(settings.VAR).name.startswith("lotsawa-test-"):
        shutil.rmtree(settings.VAR, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs PostgreSQL before anything is made for it."""
    if item.get_closest_marker("postgres") and connection.vendor != "postgresql":
        pytest.skip("on SQLite there is one lock for all; LOTSAWA_TEST_DATABASE_URL names a server")


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """A copy of the migrated database, in place of running the migrations in each process."""
    with django_db_blocker.unblock():
        before = create_database()
    yield
    with django_db_blocker.unblock():
        connection.creation.destroy_test_db(before, verbosity=0)


@pytest.fixture(scope="module")
def world_of_module(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with shared_rows(django_db_blocker, make_world) as made:
        yield made


@pytest.fixture
def world(world_of_module: World, db: None) -> World:
    """One of everything, for modules in which every test of the database takes it."""
    return deepcopy(world_of_module)


@pytest.fixture
def empty_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer pages without making them, where a test asks what is decided before."""
    monkeypatch.setattr("django.template.backends.django.Template.render", lambda *_, **__: "")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this run, which every process of it sees."""
    ours = tmp_path_factory.getbasetemp()
    return ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Begin each test in English, with nothing kept and no endpoint that asked to wait.

    A page that was asked for in another language leaves that behind, and rolled back ids come again.
    """
    translation.activate("en")
    cache.clear()
    rate_limits._of_endpoint.clear()
    yield
    translation.activate("en")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real files beside the checkout; a test that needs them is skipped where they are not."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real files are not beside this checkout (../shared/data)")
    return SHARED_DATA


@pytest.fixture
def deliver(db: None) -> Callable[[], list[EmailMessage]]:
    """Send the e-mails that wait, as a worker does; the answer is every e-mail so far."""

    def send() -> list[EmailMessage]:
        send_waiting_emails()
        return list(mail.outbox)

    return send


@pytest.fixture
def project(db: None) -> Project:
    return ProjectFactory(slug="ti", name="Ti", source_language="zh", target_language="bo")


@pytest.fixture
def member(project: Project) -> Callable[..., User]:
    """Make a member of `project`: member(Role.SENIOR), member(Role.REVIEWER, name="Dolma")."""

    def make(role: Role = Role.REVIEWER, **fields: Any) -> User:
        user = UserFactory(**fields)
        MembershipFactory(project=project, user=user, role=role)
        return user

    return make


@pytest.fixture
def browser_of() -> Callable[[User], Client]:
    """A signed-in test client."""

    def make(user: User) -> Client:
        client = Client()
        client.force_login(user, backend="accounts.backends.AccountBackend")
        return client

    return make


@pytest.fixture
def manager(member: Callable[..., User], browser_of: Callable[[User], Client]) -> Client:
    """The signed-in test client of a manager of `project`."""
    return browser_of(member(Role.MANAGER))


@pytest.fixture
def api_of(db: None) -> Callable[[User], APIClient]:
    """An API client that sends the token of `user`."""

    def make(user: User) -> APIClient:
        issued = create_token(user=user, name="test", actor=user, now=timezone.now())
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Token {issued.secret}")
        return client

    return make
