"""The worlds of the browser tests: each a database that a test begins with, all built by one process.

The process runs in the folder of a site, `manage.py shell -c "… build_worlds(endpoint)"`.
"""

from collections.abc import Callable
from tempfile import NamedTemporaryFile

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.models import Revision
from config.demo import compared
from projects.criteria import DEFAULT_NAMES
from review.answers.actions import AnswerContent, TextOpinion, submit_answer
from review.answers.comparing import candidates_for
from review.enums import RoundKind
from review.models import Round
from review.seats.actions.seats import claim_seat
from tests.browser.site import (
    ADDRESSES,
    DATABASE,
    SLUG,
    copy_database,
    copy_on_server,
    database_of,
    name_of,
    session_of,
    world_in,
    world_on_server,
)

TERMS = """\
source,preferred,allowed,forbidden,part_of_speech,domain,note
river,གཙང་པོ,ཆུ་བོ,ཆུ,noun,geography,as in names
the,zzz,,,,,an article
what,zzz,,,,,
which,ga re,,,,,
a,zzz,,,,,
"""
COMPARED_ITEMS = 8


def build_worlds(endpoint: str) -> None:
    """Store every world; the models of the demo are asked at `endpoint`.

    In all of them the project of the compared texts has a round open too.
    """
    build_days(endpoint)
    _build("furnished", "demo", _add_terms_and_pairs)
    _build("comparing", "demo", _open_comparison)
    _build("compared", "comparing", _compare)
    _build("solving", "compared", _open_solving)


def build_days(endpoint: str) -> None:
    """Store the demo as it begins, and with every seat judged."""
    call_command("load_demo", endpoint=endpoint)
    administrator = ADDRESSES["administrator"]
    call_command("create_user", administrator, "--administrator", password_env="DEMO_PASSWORD")
    for role, address in ADDRESSES.items():
        _open_session(role, User.objects.get(email=address))
    call_command("open_round", compared.SLUG, "--select", "all")
    _keep("demo")
    _build("judged", "demo", _judge_every_seat)


def _build(name: str, base: str, build: Callable[[], None]) -> None:
    connection.close()
    if url := database_of(settings.VAR):
        copy_on_server(url, world_on_server(url, base), to=name_of(url))
    else:
        copy_database(world_in(settings.VAR, base), settings.VAR / DATABASE)
    build()
    _keep(name)


def _keep(name: str) -> None:
    connection.close()
    if url := database_of(settings.VAR):
        copy_on_server(url, name_of(url), to=world_on_server(url, name))
    else:
        copy_database(settings.VAR / DATABASE, world_in(settings.VAR, name))


def _open_session(role: str, user: User) -> None:
    client = Client()
    client.force_login(user, backend="accounts.backends.AccountBackend")
    key = client.cookies["sessionid"].value
    Session.objects.filter(session_key=key).update(session_key=session_of(role))


def _judge_every_seat() -> None:
    demo = settings.ROOT / "config" / "demo"
    call_command(
        "simulate_reviewers",
        SLUG,
        reviewers=6,
        seed=7,
        profile="mixed",
        truth=demo / "planted.jsonl",
        corrections=demo / "corrections.jsonl",
    )


def _add_terms_and_pairs() -> None:
    """Import a term of every field and terms of many items, and search for duplicates."""
    with NamedTemporaryFile("w", encoding="utf-8", suffix=".csv") as file:
        file.write(TERMS)
        file.flush()
        call_command("import_terms", SLUG, file.name, wait=True)
    call_command("find_duplicates", SLUG, "--methods", "exact")


def _open_comparison() -> None:
    """Close the demo's own round and open one that compares its two systems."""
    call_command("close_round", SLUG, "1")
    call_command("open_round", SLUG, "--kind", "comparison", "--select", "all")


def _compare() -> None:
    """Find the second system better in eight items, and close the comparison."""
    round_ = Round.objects.get(project__slug=SLUG, number=2)
    user = User.objects.get(email=ADDRESSES["reviewer"])
    system = dict(Revision.objects.values_list("pk", "translation__system"))
    for number in range(COMPARED_ITEMS):
        now = timezone.now()
        seat = claim_seat(round_=round_, reviewer=user, now=now, kind=RoundKind.COMPARISON)
        shown = candidates_for(seat.panel, round_, user.pk)
        opinions = {
            text.number: TextOpinion(
                is_approved=system[text.revisions[0]] == "demo-mt-2",
                ratings=dict.fromkeys(DEFAULT_NAMES, 4),
            )
            for text in shown.texts
        }
        submit_answer(
            assignment=seat,
            reviewer=user,
            idempotency_key=f"key-{number}",
            now=now,
            content=AnswerContent(token=shown.token, opinions=opinions),
        )
    call_command("close_round", SLUG, "2")


def _open_solving() -> None:
    call_command("open_round", SLUG, "--kind=solving", "--select=all", "--panel-size=1")
