"""`load_demo` leaves the whole demo or nothing of it."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from endpoints.providers.personas import PERSONAS
from evaluation.models import ModelSpec
from projects.models import Project

pytestmark = pytest.mark.django_db


def load(**options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("load_demo", judgements=2, json=True, stdout=out, stderr=StringIO(), **options)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_demo_that_broke_off_at_its_last_step_is_loaded_whole_the_next_time() -> None:
    with pytest.raises(CommandError):
        load(endpoint="no address")
    assert (Project.objects.count(), User.objects.count()) == (0, 0)

    loaded = load()

    assert loaded["is_new"]
    assert ModelSpec.objects.filter(project__slug="demo").count() == len(PERSONAS)
    assert load() == loaded | {"is_new": False}
