"""Everything that was asked for arrives, signed, at least once and under one id, and no more."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from accounts.models import AuditEvent, User
from jobs.actions import create_job
from jobs.endings import end_job, move_jobs
from jobs.enums import JobState
from jobs.models import Job
from notifications.worker import notify
from projects.enums import Role
from projects.models import Project
from releases.publishing.actions import yank_release
from tests.factories import ReleaseFactory
from tests.notifications.conftest import told
from tests.webhooks.conftest import NOW, Worker
from tests.webhooks.receiver import Receiver
from webhooks.actions import managing, queueing
from webhooks.actions.delivering import DELAYS
from webhooks.actions.managing import NewSecret, add_webhook, rotate_secret
from webhooks.actions.queueing import DeliveryPending, replay, send_again, tidy_up
from webhooks.enums import DeliveryState, Problem, WebhookState
from webhooks.models import Delivery, Webhook
from webhooks.queries import unread_events
from webhooks.sending import Outcome, Outgoing
from webhooks.worker import send_webhooks

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Happen = Callable[..., AuditEvent]


class Died(BaseException):
    """The worker was killed."""


def is_signed(request: Mapping[str, Any], secret: str) -> bool:
    """As a receiver checks it, by the words of the scheme alone."""
    headers = request["headers"]
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + request["body"]
    key = base64.b64decode(secret.removeprefix("whsec_"))
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return f"v1,{wanted}" in headers["webhook-signature"].split(" ")


# What is sent


def test_event_arrives_once_signed_and_with_what_happened(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen, project: Project
) -> None:
    release = ReleaseFactory(project=project, version="1.2.0", content_hash="ab")
    event = happen("release.published", f"release:{release.pk}", version="1.2.0")
    assert worker.work() == 1
    assert worker.work(after=timedelta(days=2)) == 0
    [request] = receiver.requests
    delivery = Delivery.objects.get()
    assert is_signed(request, issued.secret)
    assert request["headers"]["webhook-timestamp"] == str(int(NOW.timestamp()))
    assert request["headers"]["content-type"] == "application/json"
    assert receiver.bodies == [
        {
            "id": str(delivery.uid),
            "type": "release.published",
            "timestamp": NOW.isoformat(),
            "project": "ti",
            "audit_event": event.pk,
            "data": {
                "version": "1.2.0", "state": "published", "content_hash": "ab",
                "items": None, "test": None, "dev": None, "open": None,
                "url": "http://127.0.0.1:8000/projects/ti/releases/1.2.0/",
            },
        }
    ]  # fmt: skip
    assert (delivery.state, delivery.status, delivery.tries) == (DeliveryState.DELIVERED, 204, 1)


def test_reason_of_a_yank_is_not_sent(
    receiver: Receiver, issued: NewSecret, worker: Worker, project: Project
) -> None:
    release = ReleaseFactory(project=project)
    yank_release(release=release, reason="Item law/7 is ས་མཚམས", actor=None, now=NOW)
    worker.work()
    [body] = receiver.bodies
    assert body["data"]["state"] == "yanked"
    assert "law/7" not in json.dumps(body, ensure_ascii=False)


def test_only_chosen_events_of_the_own_project_are_sent(
    receiver: Receiver, project: Project, worker: Worker, happen: Happen
) -> None:
    add_webhook(project=project, url=receiver.url, events=["round.closed"], actor=None, now=NOW)
    happen("round.opened")
    happen("comment.added", "comment:1")
    happen("round.closed")
    AuditEvent.objects.create(
        actor_name="x", verb="round.closed", target="round:1", scope="other", data={"number": 1},
        occurred_at=NOW,
    )  # fmt: skip
    worker.work()
    assert [each["type"] for each in receiver.bodies] == ["round.closed"]


def test_what_happened_before_is_not_sent_nor_before_it_was_chosen(
    receiver: Receiver, project: Project, worker: Worker, happen: Happen
) -> None:
    happen("round.closed")
    webhook = add_webhook(
        project=project, url=receiver.url, events=["round.closed"], actor=None, now=NOW
    ).webhook
    happen("round.opened")
    managing.change_webhook(
        webhook=webhook, events=["round.closed", "round.opened"], actor=None, now=NOW
    )
    assert worker.work() == 0
    happen("round.opened")
    happen("round.closed")
    worker.work()
    assert sorted(each["type"] for each in receiver.bodies) == ["round.closed", "round.opened"]


def test_end_of_a_job_is_sent_when_it_has_ended(
    receiver: Receiver, issued: NewSecret, worker: Worker, project: Project
) -> None:
    job = create_job(kind="import", scope="ti", params={"name": "geheim"}, actor=None, now=NOW)
    worker.work()
    assert [each["type"] for each in receiver.bodies] == ["job.started"]
    move_jobs(Job.objects.filter(pk=job.pk), to=JobState.RUNNING)
    assert end_job(Job.objects.filter(pk=job.pk), job, state=JobState.FAILED, now=NOW)
    worker.work()
    assert [each["type"] for each in receiver.bodies] == ["job.started", "job.ended"]
    last = receiver.bodies[-1]
    assert last["data"]["state"] == "failed" and last["data"]["kind"] == "import"
    assert "geheim" not in json.dumps(receiver.bodies)


def test_discarded_round_and_a_target_that_is_gone_hold_up_nothing(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    happen("release.built", "release:999")
    happen("panel.adjudicated", "panel:999")
    happen("round.discarded", "round:999", number=3)
    worker.work()
    assert [each["data"] for each in receiver.bodies] == [{"number": 3}]


def test_event_that_cannot_be_read_holds_up_nothing(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    bad = happen("round.opened")
    happen("round.closed")
    true = queueing.contents

    def broken(event: AuditEvent, wanted: Any) -> Any:
        if event.pk == bad.pk:
            raise KeyError("number")
        return true(event, wanted)

    monkeypatch.setattr(queueing, "contents", broken)
    worker.work()
    assert [each["type"] for each in receiver.bodies] == ["round.closed"]
    assert Delivery.objects.get(event=bad).problem == Problem.UNREADABLE
    assert worker.work() == 0


# Faults


def test_receiver_that_fails_is_tried_again_later_under_the_same_id(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    receiver.answers = [500, "close"]
    happen("round.closed")
    assert [worker.work(), worker.work(after=DELAYS[0] - timedelta(seconds=1))] == [1, 0]
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status, delivery.problem) == ("waiting", 500, "status")
    assert [worker.work(after=timedelta(seconds=1)), worker.work(after=DELAYS[1])] == [1, 1]
    assert len(set(receiver.ids)) == 1 and len(receiver.ids) == 3
    assert len({each["body"] for each in receiver.requests}) == 1
    stamps = [int(each["headers"]["webhook-timestamp"]) for each in receiver.requests]
    assert stamps == sorted(set(stamps))
    assert all(is_signed(each, issued.secret) for each in receiver.requests)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.problem, delivery.tries) == ("delivered", "", 3)


def fail_for_good(worker: Worker) -> int:
    """Work until nothing is sent any more, each time when the next try is due."""
    sent = worker.work()
    for delay in DELAYS:
        sent += worker.work(after=delay)
    return sent


def test_receiver_that_fails_for_a_day_is_switched_off_and_managers_are_told(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen,
    member: Callable[..., User],
) -> None:  # fmt: skip
    manager, viewer = member(Role.MANAGER), member(Role.VIEWER)
    receiver.answers = [500] * 20
    happen("round.closed")
    assert fail_for_good(worker) == 8
    assert timedelta(hours=20) < sum(DELAYS[:-1], timedelta()) < timedelta(hours=28)
    webhook = Webhook.objects.get()
    assert (webhook.state, Delivery.objects.get().state) == ("failing", "failed")
    notify(clock=timezone.now)
    assert [kind for kind, _text in told(manager)] == ["webhook_off"]
    assert told(viewer) == []


def test_switched_off_webhook_is_sent_nothing_until_it_is_switched_on(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    receiver.answers = [500] * 8
    happen("round.closed")
    fail_for_good(worker)
    happen("round.opened")
    assert worker.work(after=timedelta(hours=1)) == 0
    waiting = Delivery.objects.filter(state=DeliveryState.WAITING)
    waiting.update(tries=7, due_at=NOW + timedelta(days=9))
    managing.switch_on(webhook=issued.webhook, actor=None, now=NOW)
    assert worker.work() == 1
    assert receiver.bodies[-1]["type"] == "round.opened"
    with pytest.raises(managing.WebhookActive):
        managing.switch_on(webhook=issued.webhook, actor=None, now=NOW)


def test_one_event_that_is_refused_for_good_does_not_switch_off_a_webhook_that_takes_others(
    issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    def picky(requests: Sequence[Outgoing]) -> list[Outcome]:
        bad = Outcome(400, Problem.STATUS)
        return [bad if b"closed" in each.body else Outcome(204) for each in requests]

    worker.send = picky  # type: ignore[assignment]
    happen("round.closed")
    worker.work()
    happen("round.opened")
    fail_for_good(worker)
    states = dict(Delivery.objects.values_list("name", "state"))
    assert states == {"round.closed": "failed", "round.opened": "delivered"}
    assert Webhook.objects.get().state == WebhookState.ACTIVE


def test_worker_killed_before_it_records_sends_again_under_the_same_id(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    happen("round.closed")
    send = worker.send

    def dies(requests: Sequence[Outgoing]) -> list[Outcome]:
        send(requests)
        raise Died

    worker.send = dies  # type: ignore[assignment]
    with pytest.raises(Died):
        worker.work()
    worker.send = send
    assert [worker.work(), worker.work(after=DELAYS[0])] == [0, 1]
    assert len(receiver.ids) == 2 and len(set(receiver.ids)) == 1
    assert Delivery.objects.get().state == DeliveryState.DELIVERED


def test_worker_killed_on_every_try_ends_in_giving_up(
    issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    def dies(requests: Sequence[Outgoing]) -> list[Outcome]:
        raise Died

    worker.send = dies  # type: ignore[assignment]
    happen("round.closed")
    for delay in (timedelta(0), *DELAYS[:-1]):
        with pytest.raises(Died):
            worker.work(after=delay)
    assert worker.work(after=DELAYS[-1]) == 0
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.problem, delivery.tries) == ("failed", "lost", 8)


def test_outcome_of_an_older_try_does_not_undo_what_was_asked_meanwhile(
    issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    """A worker that hung for minutes while another one sent the next try."""
    happen("round.closed")

    def slow(requests: Sequence[Outgoing]) -> list[Outcome]:
        worker.send = lambda late: [Outcome(204)] * len(late)
        worker.work(after=DELAYS[0])
        return [Outcome(500, Problem.STATUS)] * len(requests)

    worker.send = slow  # type: ignore[assignment]
    worker.work()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status, delivery.problem) == ("delivered", 204, "")


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_each_event_once(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    for _number in range(6):
        happen("round.closed")
    start, failed = threading.Barrier(3), []

    def work() -> None:
        try:
            start.wait(60)
            send_webhooks(clock=lambda: NOW, send=worker.send)
        except Exception as error:  # noqa: BLE001
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    worker.work()
    assert len(receiver.ids) == 6 == len(set(receiver.ids))


# Secrets


def test_both_secrets_sign_for_a_day_after_a_rotation(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    new = rotate_secret(webhook=issued.webhook, actor=None, now=NOW)
    assert new.secret != issued.secret
    happen("round.closed")
    worker.work(after=timedelta(hours=23))
    happen("round.closed")
    worker.work(after=timedelta(hours=1))
    during, later = receiver.requests
    assert is_signed(during, issued.secret) and is_signed(during, new.secret)
    assert is_signed(later, new.secret) and not is_signed(later, issued.secret)


def test_no_secret_is_stored_audited_or_sent(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    happen("round.closed")
    worker.work()
    stored = list(Webhook.objects.values()) + list(AuditEvent.objects.values())
    said = json.dumps([stored, str(receiver.requests)], default=str)
    assert issued.secret.removeprefix("whsec_") not in said
    assert issued.webhook.nonce in json.dumps(stored, default=str)
    assert issued.webhook.nonce not in str(receiver.requests)


# Again


def test_send_again_sends_the_same_once_more(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    happen("round.closed")
    worker.work()
    delivery = Delivery.objects.select_related("webhook__project").get()
    send_again(delivery=delivery, actor=None, now=NOW)
    with pytest.raises(DeliveryPending):
        send_again(delivery=delivery, actor=None, now=NOW)
    assert worker.work() == 1
    assert len(set(receiver.ids)) == 1 and len({each["body"] for each in receiver.requests}) == 1


def test_replay_sends_what_was_sent_and_what_happened_before_the_webhook(
    receiver: Receiver, project: Project, worker: Worker, happen: Happen
) -> None:
    happen("round.opened", now=NOW - timedelta(days=9))
    happen("round.opened", now=NOW - timedelta(days=2))
    webhook = add_webhook(
        project=project, url=receiver.url, events=["round.opened"], actor=None, now=NOW
    ).webhook
    happen("round.opened")
    worker.work()
    assert len(receiver.ids) == 1
    assert replay(webhook=webhook, since=NOW - timedelta(days=3), actor=None, now=NOW) == 2
    worker.work()
    assert len(receiver.ids) == 3 and len(set(receiver.ids)) == 2
    assert AuditEvent.objects.filter(verb="webhook.replayed").count() == 1


def test_command_replays_every_webhook_of_a_project(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    happen("round.closed")
    worker.work()
    with time_machine.travel(NOW, tick=False):
        call_command("replay_webhooks", "ti", "--since", "2026-11-22", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["webhooks"] == [
        {"id": issued.webhook.pk, "url": issued.webhook.url, "deliveries": 1}
    ]
    assert worker.work() == 1


# Growth


def test_old_events_are_read_once_and_old_deliveries_forgotten(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    old = happen("round.closed")
    later = NOW + timedelta(hours=2)
    late = happen("round.opened", now=later)
    worker.work()
    tidy_up(now=later)
    webhook = Webhook.objects.select_related("project").get()
    assert old.pk <= webhook.read_event < late.pk
    assert not unread_events(webhook).exists()
    tidy_up(now=NOW + timedelta(days=31))
    assert Delivery.objects.count() == 0
    webhook.refresh_from_db()
    assert not unread_events(webhook).exists() and worker.work() == 0


def test_event_that_waits_for_its_reader_is_not_passed_over(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    event = happen("round.closed")
    tidy_up(now=NOW + timedelta(hours=2))
    assert Webhook.objects.get().read_event >= event.pk
    worker.work(after=timedelta(hours=2))
    assert [each["audit_event"] for each in receiver.bodies] == [event.pk]


def test_events_that_are_never_told_stand_in_nobodys_way(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(queueing, "AT_ONCE", 2)
    barren = [happen("panel.adjudicated", f"panel:{number}") for number in range(900, 905)]
    happen("round.closed")
    worker.work()
    assert [each["type"] for each in receiver.bodies] == ["round.closed"]
    tidy_up(now=NOW + timedelta(hours=2))
    webhook = Webhook.objects.select_related("project").get()
    assert webhook.read_event >= barren[-1].pk and not unread_events(webhook).exists()


@pytest.mark.parametrize("count", [1, 3])
def test_reading_events_costs_the_same_for_any_number_that_was_read(
    issued: NewSecret, worker: Worker, happen: Happen, count: int, django_assert_num_queries: Any
) -> None:
    for _number in range(count):
        happen("round.closed")
    worker.work()
    with django_assert_num_queries(2):
        queueing.queue_deliveries(now=NOW)


def test_event_that_commits_behind_a_later_one_is_sent(
    receiver: Receiver, issued: NewSecret, worker: Worker, happen: Happen
) -> None:
    first = happen("round.opened")
    AuditEvent.objects.filter(pk=first.pk).delete()
    happen("round.closed")
    worker.work()
    AuditEvent.objects.create(
        pk=first.pk, actor_name="x", verb="round.opened", target="round:0", scope="ti",
        data={"number": 1}, occurred_at=NOW,
    )  # fmt: skip
    worker.work()
    assert [each["type"] for each in receiver.bodies] == ["round.closed", "round.opened"]


def test_ping_goes_to_one_webhook_whatever_it_chose(
    receiver: Receiver, project: Project, worker: Worker
) -> None:
    first, _second = (
        add_webhook(
            project=project, url=f"{receiver.url}{tail}", events=["round.closed"], actor=None,
            now=datetime.now(tz=NOW.tzinfo),
        ).webhook
        for tail in ("", "&b=2")
    )  # fmt: skip
    managing.ping_webhook(webhook=first, actor=None, now=NOW)
    worker.work()
    [body] = receiver.bodies
    assert (body["type"], body["data"]) == ("ping", {"webhook": first.pk})
