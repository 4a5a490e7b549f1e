"""`load_demo` leaves the whole demo or nothing of it, and a later start makes up for what is missing."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from config.demo import written
from endpoints.models import ModelSpec
from endpoints.providers.personas import PERSONAS
from projects.models import Project

pytestmark = pytest.mark.django_db


def load(**options: Any) -> dict[str, Any]:
    out = StringIO()
    options = {"judgements": 0} | options
    call_command("load_demo", json=True, stdout=out, stderr=StringIO(), **options)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_demo_that_broke_off_is_loaded_whole_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError):
        load(endpoint="no address")
    assert (Project.objects.count(), User.objects.count()) == (0, 0)
    with monkeypatch.context() as patched, pytest.raises(RuntimeError):
        patched.setattr(written, "show_to_everybody", broken_off)
        load()

    assert not load()["is_new"]
    assert Project.objects.get(slug=written.SLUG).rounds.count() == 2
    assert ModelSpec.objects.filter(project__slug="demo").count() == len(PERSONAS)


def broken_off(**_of: object) -> None:
    raise RuntimeError("the machine was turned off")
