"""The work of an endpoint's submission: ask the questions, store raw answers, score what they say."""

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models.functions import Left, Length, Right
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.enums import ItemKind
from common.errors import DomainError
from endpoints import engine
from endpoints.actions import check_allowed, outside_reach
from endpoints.batches import Connect, Line, insert_missing, perform_batch
from endpoints.models import Endpoint
from endpoints.providers.base import ChatProvider, ChatRequest
from endpoints.providers.http_calls import Timeouts
from endpoints.providers.openai_compatible import OpenAICompatible
from endpoints.rate_limits import Unlimited
from endpoints.raw_calls import raw_call_columns
from endpoints.stops import EndpointStopped
from evaluation.enums import ResponseState
from evaluation.request_building import asked_item, letters_of_prompt, prompt_item
from jobs.models import Job
from jobs.progress import Progress
from prompts.queries import template_of
from prompts.rendering import render
from releases.enums import HiddenPart, Subset
from releases.models import ReleaseItem
from releases.option_orders import in_order
from releases.queries import release_items
from scoring.scorers import SCORERS, extract
from submissions.actions.endpoints import end_by_their_fault, end_by_withdrawal, wipe_key
from submissions.actions.scoring import count_right, score_submission
from submissions.asked_orders import AskedOrders
from submissions.checking import one_spelling
from submissions.contact import drawn, fewest_right
from submissions.enums import SubmissionState, TellingKind
from submissions.faults import CONTACT_FAILED, NO_ANSWERS, TOO_SLOW, fault_of
from submissions.marks import released_letter
from submissions.models import (
    Submission,
    SubmissionResponse,
    SubmittedEndpoint,
    Team,
    Telling,
)
from submissions.queries import SCORABLE, hidden_items, policy_of
from submissions.sealing import SealBroken, unseal
from submissions.selectors import EndpointsNotTaken, NotAdmitted, TeamBanned, check_allowed_still

WITHDRAWN: Final = (EndpointsNotTaken, NotAdmitted, TeamBanned)
CHUNK: Final = 100
CONCURRENCY: Final = 8
LONGEST_WORK: Final = timedelta(hours=6)
LIMITS: Final = engine.Limits(tries=4, longest_wait=60)
"""Less patience than with endpoints of a project: others wait for the same worker."""
TIMEOUTS: Final = Timeouts(connect=10, total=60, reply_bytes=100_000)
LONGEST_READ: Final = 20_000
"""So many characters of a reply are read, half at its beginning and half at its end."""
GAP: Final = "\n…\n"
HALF: Final = (LONGEST_READ - len(GAP)) // 2
OF_OPTIONS: Final = next(name for name, each in SCORERS.items() if each.key_kind == "option")
OF_NUMBERS: Final = next(name for name, each in SCORERS.items() if each.key_kind == "number")
"""The standard methods: the first of each kind, which are those of headlines."""


class KeyUnreadable(DomainError):
    code = "key_unreadable"
    detail = _("The stored key cannot be opened any more, because the server's secret key changed.")


class EndpointTooSlow(EndpointStopped):
    """The endpoint took longer than anybody may keep others waiting."""

    code = "endpoint_too_slow"


class ContactFailed(EndpointStopped):
    """The endpoint answered the questions of the first contact no better than guessing."""

    code = "contact_failed"


OWN_FAULTS: Final[dict[type[EndpointStopped], str]] = {
    EndpointTooSlow: TOO_SLOW,
    ContactFailed: CONTACT_FAILED,
}


def perform_endpoint_submission(
    job: Job,
    progress: Progress,
    *,
    connect: Connect | None = None,
    limits: engine.Limits = LIMITS,
) -> dict[str, Any]:
    """Do the work of an endpoint's submission; return {submission}. One that has ended stays as it is.

    1. Ask each item that has no answer, in an order drawn by the seed, those that are marked for the
       team with their options in its own order. Raw answers are stored in batches, so a killed
       worker's successor asks nothing twice. If the rules ask for a first contact, its questions
       come first, and the others only if enough of those are right.
    2. In one transaction, take the answers out of them by the standard methods, score them as those
       of a dictionary, and wipe the key. Questions without an answer count as wrong.

    A failure of the endpoint ends the submission by its team's fault, which is no error of the job.
    If a manager withdraws the permission, which is read again before each chunk and while it is
    asked, the submission is cancelled and nothing of it counts.
    """
    rows = Submission.objects.select_related("release__project", "team", "sent_by", "endpoint")
    submission = rows.get(pk=job.params["submission"])
    if submission.state != SubmissionState.QUEUED:
        return {"submission": submission.pk}
    try:
        _ask(submission, progress, connect, limits)
        conclude(submission=submission, now=timezone.now(), progress=progress)
    except WITHDRAWN as refusal:
        end_by_withdrawal(submission=submission, reason=refusal.code, now=timezone.now())
    except EndpointStopped as stop:
        fault = OWN_FAULTS.get(type(stop)) or fault_of(stop.params["error"])
        end_by_their_fault(submission=submission, fault=fault, now=timezone.now())
    return {"submission": submission.pk}


def _ask(
    submission: Submission, progress: Progress, connect: Connect | None, limits: engine.Limits
) -> None:
    """Ask what has no answer. Raises one of WITHDRAWN, EndpointStopped, KeyUnreadable."""
    endpoint = _begin(submission, timezone.now())
    progress.also_check(lambda: _check_time(endpoint, timezone.now()))
    progress.also_check(lambda: _check_allowed(submission))
    questions = Questions(submission, endpoint, progress)
    done = len(questions.answered())
    progress.start(len(questions.order), done=done)
    line = Line(
        endpoint=Endpoint(project=submission.release.project, base_url=endpoint.base_url),
        concurrency=CONCURRENCY,
        connect=connect or questions.connect,
        limits=limits,
        limiter=Unlimited(),  # pauses that a stranger's endpoint asks for are nobody else's
    )
    perform_batch(questions, line, progress=progress, done=done)


def conclude(*, submission: Submission, now: datetime, progress: Progress) -> None:
    """Score what was answered; without any answer, end it by its team's fault.

    Raises what `score_submission` and `progress.check` raise.
    """
    responses = SubmissionResponse.objects.filter(submission=submission)
    answered = responses.filter(state=ResponseState.ANSWERED).count()
    if not answered:
        last = responses.order_by("-pk").values_list("error", flat=True).first()
        fault = fault_of(last or "") if last else NO_ANSWERS
        end_by_their_fault(submission=submission, fault=fault, now=now)
        return
    answers = answers_of(submission, progress)
    with transaction.atomic():
        Submission.objects.filter(pk=submission.pk, state=SubmissionState.QUEUED).update(
            answers=answers
        )
        submission.answers = answers
        score_submission(submission=submission, now=now)
        wipe_key(submission, now, unanswered=len(answers) - answered)


def answers_of(
    submission: Submission, progress: Progress, only: Collection[int] | None = None
) -> list[str]:
    """Return the answers in the order of the release, "" where there is none; no key is read.

    Those to the release items `only`, if they are given. A chunk of the replies is in memory at a
    time. Raises what `progress.check` raises.
    """
    endpoint = SubmittedEndpoint.objects.select_related("prompt_template").get(
        submission=submission
    )
    letters = letters_of_prompt(endpoint.prompt_template)
    rows = release_items(submission.release).filter(subset=Subset.BLACK_BOX, kind__in=SCORABLE)
    rows = rows if only is None else rows.filter(pk__in=only)
    found: list[str] = []
    order = list(rows.values_list("pk", flat=True))
    for start in range(0, len(order), CHUNK):
        keys = order[start : start + CHUNK]
        texts, orders = _texts(submission, keys), _orders(submission, endpoint, keys)
        for placed in rows.filter(pk__in=keys):
            progress.check()
            text, order_asked = texts.get(placed.pk, ""), orders.get(placed.pk, "")
            found.append(_answer(placed, text, letters, order_asked))
    return found


def _orders(
    submission: Submission, endpoint: SubmittedEndpoint, keys: Sequence[int]
) -> dict[int, str]:
    """Return the team's own orders of options by release item, of those that are marked."""
    if not endpoint.is_marked:
        return {}
    rows = ReleaseItem.objects.filter(pk__among=keys)
    return AskedOrders(submission.release.project, rows).of(submission.team)


def _texts(submission: Submission, keys: Sequence[int]) -> dict[int, str]:
    """Return the answers to some items, without the middle of those longer than LONGEST_READ."""
    rows = SubmissionResponse.objects.filter(
        submission=submission, state=ResponseState.ANSWERED, release_item__in=keys
    )
    found = rows.values_list(
        "release_item", Length("text"), Left("text", LONGEST_READ), Right("text", HALF)
    )
    return {
        pk: begin if length <= LONGEST_READ else f"{begin[:HALF]}{GAP}{end}"
        for pk, length, begin, end in found
    }


class Questions:
    """The questions of a submission, as calls of a batch."""

    def __init__(
        self, submission: Submission, endpoint: SubmittedEndpoint, progress: Progress
    ) -> None:
        """Open the key. Raises KeyUnreadable."""
        self._submission, self._endpoint, self._progress = submission, endpoint, progress
        self._template = template_of(endpoint.prompt_template)
        self._items: dict[int, ReleaseItem] = {}
        self._orders: dict[int, str] = {}
        self._contact = contact_of(submission, endpoint.first_contact)
        order = order_of(submission, endpoint.seed)
        self.order = sorted(order, key=lambda pk: pk not in self._contact)
        try:
            self._key = unseal(endpoint.sealed_key, address=endpoint.base_url)
        except SealBroken as error:
            raise KeyUnreadable from error

    def connect(self, endpoint: Endpoint) -> ChatProvider:
        """Return a client that reaches public addresses alone. Raises EndpointNotAllowed."""
        check_allowed(endpoint.base_url)
        return OpenAICompatible(
            endpoint.base_url, key=self._key, timeouts=TIMEOUTS, reach=outside_reach()
        )

    def answered(self) -> set[int]:
        return set(self._answers().values_list("release_item", flat=True))

    def missing(self) -> Iterator[Sequence[int]]:
        """Yield the items without an answer, those of the first contact before it is judged.

        Raises EndpointTooSlow, ContactFailed, or one of WITHDRAWN.
        """
        done = self.answered()
        left = [pk for pk in self.order if pk not in done]
        yield from self._chunks([pk for pk in left if pk in self._contact])
        if self._contact:
            self._check_contact()
        yield from self._chunks([pk for pk in left if pk not in self._contact])

    def _chunks(self, left: Sequence[int]) -> Iterator[Sequence[int]]:
        for start in range(0, len(left), CHUNK):
            _check_time(self._endpoint, timezone.now())
            _check_allowed(self._submission)
            keys = left[start : start + CHUNK]
            rows = release_items(self._submission.release).filter(pk__in=keys)
            self._items = {placed.pk: placed for placed in rows}
            self._orders = _orders(self._submission, self._endpoint, keys)
            yield keys

    def _check_contact(self) -> None:
        """Raise ContactFailed if the endpoint does no better than guessing."""
        answers = answers_of(self._submission, self._progress, self._contact)
        right, option_counts = count_right(self._submission.release, self._contact, answers)
        if right < fewest_right(option_counts):
            raise ContactFailed(error=CONTACT_FAILED)

    def request(self, key: int) -> ChatRequest:
        item = prompt_item(self._items[key])
        options = in_order(item.options, self._orders.get(key, ""))
        messages = render(replace(item, options=tuple(options)), template=self._template)
        return ChatRequest(self._submission.model, messages, self._endpoint.parameters)

    def store(self, results: list[engine.Result[int]]) -> None:
        """Insert the responses; the client has taken the key out of what the endpoint repeats."""
        rows = [self._response(each) for each in results]
        stored = self._answers().filter(release_item__in=[row.release_item_id for row in rows])
        insert_missing(rows, stored=stored, key=("release_item_id",))

    def _answers(self) -> Any:
        rows = SubmissionResponse.objects.filter(submission=self._submission)
        return rows.filter(state=ResponseState.ANSWERED)

    def _response(self, result: engine.Result[int]) -> SubmissionResponse:
        """Of an answer the body is not kept: it repeats what is in columns."""
        is_answered = result.state == engine.ANSWERED
        result = replace(result, body="") if is_answered else result
        return SubmissionResponse(
            submission=self._submission,
            release_item_id=result.key,
            state=ResponseState.ANSWERED if is_answered else ResponseState.FAILED,
            **raw_call_columns(result),
        )


def order_of(submission: Submission, seed: int) -> list[int]:
    """Return the items that are asked, in the order that the team and its seed draw."""
    rows = hidden_items(submission.release).filter(kind__in=SCORABLE)
    found = list(rows.values_list("pk", flat=True))
    random.Random(f"{submission.team_id}:{seed}").shuffle(found)
    return found


def first_contact(submission: Submission) -> int:
    """Return how many questions the rules allow at first: 0 if they are all, or the team is trusted."""
    release = submission.release
    is_shown = release.hidden_part != HiddenPart.CLOSED
    if is_shown or Team.objects.filter(pk=submission.team_id, trusted_at__isnull=False).exists():
        return 0
    count = policy_of(release.project).first_contact
    items = hidden_items(release).filter(kind__in=SCORABLE).count()
    return count if count < items else 0


def contact_of(submission: Submission, count: int) -> set[int]:
    """Return the `count` items that an endpoint of the team is asked first."""
    rows = hidden_items(submission.release).filter(kind__in=SCORABLE)
    return drawn(rows.values_list("pk", "item"), count, team=submission.team_id) if count else set()


@transaction.atomic
def _begin(submission: Submission, now: datetime) -> SubmittedEndpoint:
    """Note when the first worker began and how many questions come first, and return the endpoint.

    Raises one of WITHDRAWN.
    """
    check_allowed_still(submission.release, submission.team)
    rows = SubmittedEndpoint.objects.filter(submission=submission)
    count = first_contact(submission)
    is_first = rows.filter(started_at=None).update(
        started_at=now, first_contact=count, is_marked=True
    )
    if is_first and count:
        _count_contact(submission, now)
    return rows.select_related("prompt_template").get()


def _count_contact(submission: Submission, now: datetime) -> None:
    """Note that the team hears whether its endpoint passed: one bit."""
    Telling.objects.create(
        release=submission.release,
        team=submission.team,
        kind=TellingKind.CONTACT,
        submission=submission,
        bits=1,
        told_at=now,
    )


@transaction.atomic
def _check_allowed(submission: Submission) -> None:
    """Raises one of WITHDRAWN."""
    check_allowed_still(submission.release, submission.team)


def _check_time(endpoint: SubmittedEndpoint, now: datetime) -> None:
    if endpoint.started_at and now - endpoint.started_at > LONGEST_WORK:
        raise EndpointTooSlow(error=TOO_SLOW)


def _answer(placed: ReleaseItem, text: str, letters: str, order: str) -> str:
    """Return a letter as the release has it, or a number; empty if the text has neither.

    `order` is the one in which the endpoint saw the options.
    """
    method = OF_NUMBERS if placed.kind == ItemKind.NUMBER else OF_OPTIONS
    asked = asked_item(placed, letters)
    options = tuple(in_order(asked.options, order))
    found = extract(method, text, replace(asked, options=options))
    if found.number is not None:
        return one_spelling(found.number) or ""
    return released_letter(found.letter or "", order)
