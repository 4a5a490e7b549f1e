"""What benchmarks share: an empty site in their own process, somebody who asks, and a line a figure."""

import json
import os
from typing import Any


def report(name: str, value: float, unit: str, n: object) -> None:
    """Print one figure as a JSON line."""
    figure = {"name": name, "value": round(value, 3), "unit": unit, "n": n}
    print(json.dumps(figure, ensure_ascii=False), flush=True)


def set_up(folder: str, url: str = "") -> None:
    """Make an empty site in a folder, without Redis; no `url` of a database means SQLite."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "LOTSAWA_VAR": folder,
        "LOTSAWA_DATABASE_URL": url,
        "LOTSAWA_REDIS_URL": "",
        "LOTSAWA_LOG_LEVEL": "ERROR",
    }
    make_tables()
    from django.conf import settings

    settings.ALLOWED_HOSTS = ["testserver"]


def make_tables() -> None:
    """Start Django with the settings of the environment and make all tables."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def client_of(project: Any) -> Any:
    """Return a client that a new manager of a project is signed in with."""
    from django.test import Client
    from django.utils import timezone

    from accounts.models import User
    from projects.actions import grant_role

    user = User.objects.create_user(f"{project.slug}@example.org", "Bench")
    grant_role(project=project, user=user, role="manager", actor=None, now=timezone.now())
    client = Client()
    client.force_login(user, backend="accounts.backends.AccountBackend")
    return client
