"""Reviewers submit over HTTP while strangers send their models' answers, on SQLite.

python -m benchmarks.strangers [--items 10000] [--people 32] [--pause 2.0]

Reviewers are alone first; then each of as many strangers sends an answer to every item of a hidden
part, all in the same moment, and again after the seconds of `Retry-After` when told that it is not
their turn. Strangers have a web server of their own, as in `compose.yaml`, and in a second measurement
share the reviewers', as in `make run`. Printed are the reviewers' waits before and since, the strangers'
waits for the acknowledgement, how often they were sent away, and how long it took until every score was
told.

Exits with 1 if a request failed, if a score is missing, or if a reviewer waited longer than
`--patience` seconds.
"""

import argparse
import http.client
import json
import random
import statistics
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchmarks.fresh_site import make_tables, report
from benchmarks.import_under_load import Crowd, Reviewer, worker
from benchmarks.page_reviews import CROWD, Place, server
from benchmarks.review import measure_in_child, token_of

VERSION = "1.0.0"
SERVERS = ("apart", "shared")
PUBLIC_THREADS = 16
NOT_NOW = 503
LONGEST_SCORING_SECONDS = 240


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--people", type=int, default=CROWD, help="reviewers, and strangers")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between judgements")
    parser.add_argument("--quiet", type=float, default=20.0, help="seconds before strangers come")
    parser.add_argument(
        "--patience", type=float, default=2.0, help="seconds no reviewer may exceed"
    )
    parser.add_argument("--measure", choices=SERVERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        sys.exit(measure(options))
    names = ("items", "people", "pause", "quiet", "patience")
    words = [word for name in names for word in (f"--{name}", str(getattr(options, name)))]
    for servers in SERVERS:
        measure_in_child("benchmarks.strangers", servers, "", words)


def measure(options: argparse.Namespace) -> int:
    """Measure one crowd of each kind; return 0 if every condition was met."""
    make_tables()
    place = Place.filled(options.items, people=options.people)
    tokens, ids = make_hidden_part(place.slug, options.people)
    is_apart = options.measure == "apart"
    with ExitStack() as running:
        port, _pid = running.enter_context(server())
        public_port = running.enter_context(server(PUBLIC_THREADS))[0] if is_apart else port
        running.enter_context(worker())
        people = [Reviewer(port, place, session) for session in place.sessions[: options.people]]
        strangers = [Stranger(public_port, place.slug, token, ids) for token in tokens]
        crowd = Crowd(people, options.pause)
        with crowd.at_work():
            time.sleep(options.quiet)
            began = time.monotonic()
            send_all(strangers)
            sent = time.monotonic()
            scored = wait_until_scored(len(strangers))
            ended = time.monotonic()
    waits = [wait for person in people for wait in person.waits]
    beside = [wait for at, wait in waits if began <= at < ended]
    told = Waits(options.measure)
    told.tell("reviewers_alone", [wait for at, wait in waits if at < began])
    told.tell("reviewers_beside_strangers", beside)
    told.tell("strangers", [stranger.seconds for stranger in strangers])
    away = sum(stranger.sent_away for stranger in strangers)
    report(f"strangers_sent_away_{options.measure}", away, "", len(strangers))
    report(f"strangers_all_sent_{options.measure}", sent - began, "s", len(strangers))
    report(f"strangers_all_scored_{options.measure}", ended - began, "s", scored)
    faults = [*crowd.faults, *(stranger.fault for stranger in strangers if stranger.fault)]
    if scored < len(strangers):
        faults.append(f"{len(strangers) - scored} scores are missing")
    if max(beside) > options.patience:
        faults.append(f"a reviewer waited {max(beside):.1f} s")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def make_hidden_part(slug: str, teams: int) -> tuple[list[str], list[str]]:
    """Publish a hidden part of all items, and join `teams` strangers; return their tokens, and the ids."""
    from django.utils import timezone

    from projects.models import Project
    from submissions.models import SubmissionPolicy

    now, project = timezone.now(), Project.objects.get(slug=slug)
    SubmissionPolicy.objects.create(project=project, is_open=True, terms_version=1)
    ids = publish(project, now)
    return [join(project, number, now) for number in range(teams)], ids


def publish(project: Any, now: datetime) -> list[str]:
    """Store a release whose items are all withheld; return their ids."""
    from accounts.models import User
    from annotation.models import Item
    from releases.models import Release, ReleaseItem, ReleaseSubject

    items = Item.objects.filter(project=project).select_related("subject", "working_translation")
    count = items.count()
    release = Release.objects.create(
        project=project, version=VERSION, state="published", hidden_part="withheld", seed=1,
        black_box_share=1.0, counts={"items": count, "test": count, "black_box": count},
        created_by=User.objects.get(email=f"manager@{project.slug}.example.org"),
        created_at=now, published_at=now,
    )  # fmt: skip
    subjects = {
        each.slug: ReleaseSubject(release=release, slug=each.slug, name=each.name)
        for each in project.subjects.all()
    }
    ReleaseSubject.objects.bulk_create(subjects.values())
    ReleaseItem.objects.bulk_create(
        ReleaseItem(
            release=release, item=item, subject=subjects[item.subject.slug],
            revision_id=item.working_translation.current_revision_id, uid=item.uid,
            public_id=f"hidden-{number}", key=item.key, item_key=item.key,
            split="test", subset="black-box", position=number,
        )
        for number, item in enumerate(items.order_by("pk"))
    )  # fmt: skip
    return [f"hidden-{number}" for number in range(count)]


def join(project: Any, number: int, now: datetime) -> str:
    """Create a stranger in a team of their own; return their token."""
    from accounts.actions import create_user
    from submissions.models import Participant, Team

    name = f"Team {number}"
    user = create_user(
        email=f"s{number}@example.org", name=name, password=None, actor=None, now=now
    )
    team = Team.objects.create(
        project=project, name=name, code=f"code-{number}", created_at=now, admitted_at=now
    )
    Participant.objects.create(
        project=project, user=user, team=team, terms_version=1, terms_accepted_at=now
    )
    return token_of(user)


class Stranger:
    """Somebody who sends an answer to each item; each right with a chance of their own.

    `sending` is how often they sent something before; their answers are others each time.
    """

    def __init__(
        self, port: int, slug: str, token: str, ids: Sequence[str], sending: int = 0
    ) -> None:
        chance = random.Random(f"{token} {sending}")
        skill = chance.uniform(0.3, 0.9)
        answers = {id_: "A" if chance.random() < skill else chance.choice("BCD") for id_ in ids}
        self.body = json.dumps({"model": "stand-in", "answers": answers})
        self.headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
        self.path = f"/api/v1/releases/{slug}/{VERSION}/submissions/"
        self.port, self.seconds, self.fault, self.sent_away = port, 0.0, "", 0

    def send(self) -> None:
        """Send until it is taken or refused for good."""
        began = time.monotonic()
        while (seconds := self.try_once()) is not None:
            self.sent_away += 1
            time.sleep(seconds)
        self.seconds = time.monotonic() - began

    def try_once(self) -> int | None:
        """Send; return the seconds after which to come again, None if it has been answered."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            client.request("POST", self.path, self.body, self.headers)
            answer = client.getresponse()
            said = answer.read()
            if answer.status == NOT_NOW:
                return int(answer.headers["Retry-After"])
            self.fault = "" if answer.status == 202 else f"{answer.status} {said[:200]!r}"
        except OSError as error:
            self.fault = repr(error)
        finally:
            client.close()
        return None


def send_all(strangers: Sequence[Stranger]) -> None:
    threads = [threading.Thread(target=stranger.send) for stranger in strangers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def wait_until_scored(count: int) -> int:
    """Return how many submissions are scored, once all are or the longest time is over."""
    from submissions.models import Submission

    deadline = time.monotonic() + LONGEST_SCORING_SECONDS
    scored: Any = Submission.objects.filter(state="scored")
    while (found := scored.count()) < count and time.monotonic() < deadline:
        time.sleep(0.2)
    return int(found)


@dataclass(frozen=True)
class Waits:
    """Prints how long people waited, of strangers `where` their web server is."""

    where: str

    def tell(self, who: str, waits: Sequence[float]) -> None:
        n = len(waits)
        report(f"wait_median_{who}_{self.where}", 1000 * statistics.median(waits), "ms", n)
        cuts = statistics.quantiles(waits, n=20)
        report(f"wait_p95_{who}_{self.where}", 1000 * cuts[18], "ms", n)
        report(f"wait_longest_{who}_{self.where}", 1000 * max(waits), "ms", n)


if __name__ == "__main__":
    main()
