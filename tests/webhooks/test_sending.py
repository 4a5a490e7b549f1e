"""Requests to addresses of strangers lead only where they may, and end in time."""

import ssl
from dataclasses import replace

import pytest

from common.addresses import Limits
from tests.webhooks.receiver import NAME, Receiver
from webhooks.enums import Problem
from webhooks.sending import Outcome, Outgoing, Sender


def send(sender: Sender, url: str) -> Outcome:
    return sender.send_all([Outgoing(url, {"a": "b"}, b"{}")])[0]


def test_request_goes_to_the_address_under_the_name(receiver: Receiver, sender: Sender) -> None:
    assert send(sender, receiver.url) == Outcome(204)
    [request] = receiver.requests
    assert request["path"] == "/hook?a=1"
    assert request["headers"]["host"] == f"{NAME}:{receiver.port}"
    assert request["headers"]["a"] == "b"
    assert request["body"] == b"{}"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (500, Outcome(500, Problem.STATUS)),
        (410, Outcome(410, Problem.STATUS)),
        ("close", Outcome(problem=Problem.CONNECTION)),
    ],
)
def test_answer_that_is_no_success_is_a_problem(
    receiver: Receiver, sender: Sender, answer: object, outcome: Outcome
) -> None:
    receiver.answers = [answer]
    assert send(sender, receiver.url) == outcome


@pytest.mark.parametrize("answer", ["hang", "drip"])
def test_receiver_that_never_ends_its_answer_is_left(
    receiver: Receiver, sender: Sender, answer: str
) -> None:
    receiver.answers = [answer]
    outcome = send(replace(sender, seconds=0.3), receiver.url)
    assert outcome == Outcome(problem=Problem.TIMEOUT)


def test_one_that_hangs_does_not_hold_up_the_others(receiver: Receiver, sender: Sender) -> None:
    receiver.answers = ["last"]
    requests = [Outgoing(receiver.url, {}, b"{}")] * 4
    assert sender.send_all(requests) == [Outcome(204)] * 4


def test_redirect_is_not_followed(receiver: Receiver, sender: Sender) -> None:
    receiver.answers, receiver.location = [302, 302], "https://169.254.169.254/latest/"
    assert send(sender, receiver.url) == Outcome(302, Problem.REDIRECT)
    receiver.location = receiver.url
    assert send(sender, receiver.url) == Outcome(302, Problem.REDIRECT)
    assert len(receiver.requests) == 2


def test_name_that_leads_to_a_private_address_is_refused(
    receiver: Receiver, sender: Sender
) -> None:
    strict = replace(sender, limits=Limits({receiver.port}))
    assert send(strict, receiver.url) == Outcome(problem=Problem.PRIVATE)
    mixed = replace(strict, resolve=lambda _host, _port: ["93.184.216.34", "10.0.0.8"])
    assert send(mixed, receiver.url) == Outcome(problem=Problem.PRIVATE)
    assert receiver.requests == []


def test_name_is_looked_up_once_and_the_connection_goes_there(
    receiver: Receiver, sender: Sender
) -> None:
    """A name that changes after the check leads nowhere."""
    asked = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append((host, port))
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.8"]

    assert send(replace(sender, resolve=rebinding), receiver.url) == Outcome(204)
    assert asked == [(NAME, receiver.port)]


def test_next_address_of_a_name_is_tried_if_the_first_refuses(
    receiver: Receiver, sender: Sender
) -> None:
    both = replace(sender, resolve=lambda _host, _port: ["::1", "127.0.0.1"])
    assert send(both, receiver.url) == Outcome(204)


def test_certificate_must_be_trusted_and_of_the_name(receiver: Receiver, sender: Sender) -> None:
    ours_unknown = replace(sender, verify=ssl.create_default_context())
    assert send(ours_unknown, receiver.url) == Outcome(problem=Problem.TLS)
    other = receiver.url.replace(NAME, "other.example.test")
    assert send(sender, other) == Outcome(problem=Problem.TLS)
    assert send(sender, receiver.url.replace(NAME, "127.0.0.1")) == Outcome(problem=Problem.TLS)
    assert receiver.requests == []


@pytest.mark.parametrize("url", ["http://hooks.example.test/", "https://hooks.example.test:22/"])
def test_scheme_and_port_are_checked_again(sender: Sender, url: str) -> None:
    assert send(sender, url) == Outcome(problem=Problem.PORT)


def test_unknown_name_is_a_problem(receiver: Receiver, sender: Sender) -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    assert send(replace(sender, resolve=unknown), receiver.url) == Outcome(
        problem=Problem.UNRESOLVED
    )
    nothing = replace(sender, resolve=lambda _host, _port: [])
    assert send(nothing, receiver.url) == Outcome(problem=Problem.UNRESOLVED)
