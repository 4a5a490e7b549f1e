"""`simulate_reviewers PROJECT --reviewers N`: fill the open round with judgements of known competence."""

import json
import uuid
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import httpx
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions import create_token, mark_simulated
from accounts.models import User
from annotation.models import Item, Revision
from common.commands import LotsawaCommand, natural, positive
from common.errors import DomainError
from projects.actions import enrol_person
from projects.enums import Role
from projects.models import Project
from projects.selectors import get_project
from review.answers.actions import AnswerContent, TextOpinion, submit_answer
from review.answers.answering import seat_json
from review.enums import RoundKind
from review.models import Assignment, Round
from review.outcomes import Correction
from review.report.selectors import open_round_of
from review.seats.actions.seats import claim_seat
from review.simulation.answering import AnswerTruth, answer, shares_of
from review.simulation.judging import PROFILES, Truth, judge, profiles_for
from review.workbench.actions.judgements import JudgementContent, submit_judgement
from review.workbench.actions.reveals import reveal_source
from review.workbench.presenters import claim_json, load_texts

TIMEOUT_SECONDS = 30.0


class NoOpenRound(DomainError):
    code = "no_open_round"
    detail = _("No round is open in this project. Open one with open_round.")


class ServerRefused(DomainError):
    code = "server_refused"
    detail = _("The server answered %(status)s: %(body)s")


class ServerUnreachable(DomainError):
    code = "server_unreachable"
    detail = _("No answer from %(url)s: %(reason)s")


class TruthUnreadable(DomainError):
    code = "truth_unreadable"
    detail = _("%(file)s, row %(row)s: this is not a JSON object with %(names)s.")


class ShareUnreadable(DomainError):
    code = "share_unreadable"
    detail = _("“%(text)s” must be a system and a share from 0 to 1, such as mt=0.2.")


class Desk(Protocol):
    """Where a simulated reviewer takes seats and sends judgements."""

    def claim(self, reviewer: User) -> dict[str, Any] | None: ...

    def submit(self, reviewer: User, seat: Mapping[str, Any], body: dict[str, Any]) -> None: ...


class Command(LotsawaCommand):
    help = (
        "Let simulated reviewers judge, compare or solve the items of the open round, through the "
        "actions or a server's API."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--reviewers", type=positive, required=True, metavar="N")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--profile", choices=[*PROFILES, "mixed"], default="mixed")
        parser.add_argument("--limit", type=natural, metavar="K", help="judgements at most")
        parser.add_argument(
            "--url",
            help="address of a running server (default: write to the database directly)",
        )
        parser.add_argument("--truth", type=Path, help="JSONL of uid and kind of each faulty item")
        parser.add_argument(
            "--faulty",
            action="append",
            default=[],
            metavar="SYSTEM=SHARE",
            help="share of a system's texts that are faulty, for a comparison; once for each system",
        )
        parser.add_argument("--corrections", type=Path, help="JSONL of uid, question, options")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        round_ = open_round_of(project)
        if round_ is None:
            raise NoOpenRound
        truth = _truth(options["truth"], options["corrections"])
        answers = _answer_truth(round_, options["faulty"], options["seed"])
        reviewers = enrol_simulated(project, options["reviewers"])
        desk: Desk = HttpDesk(options["url"], round_) if options["url"] else ActionDesk(round_)
        profiles = profiles_for(len(reviewers), options["profile"])
        counts: Counter[str] = Counter()
        waiting = list(zip(range(len(reviewers)), reviewers, profiles, strict=True))
        while waiting and (options["limit"] is None or counts.total() < options["limit"]):
            number, reviewer, profile = waiting.pop(0)
            seat = desk.claim(reviewer)
            if seat is None:
                continue
            said: dict[str, Any] = {
                "reviewer": number,
                "profile": profile,
                "criteria": project.criteria,
            }
            if round_.kind == RoundKind.REVIEW:
                body = judge(seat, **said, truth=truth, seed=options["seed"])
            else:
                body = answer(seat, **said, truth=answers)
            desk.submit(reviewer, seat, body)
            counts[body.get("verdict", "answer")] += 1
            waiting.append((number, reviewer, profile))
        return {
            "project": project.slug,
            "round": round_.number,
            "judgements": counts.total(),
            "verdicts": dict(sorted(counts.items())),
            "reviewers": [
                {"email": user.email, "profile": profile.name}
                for user, profile in zip(reviewers, profiles, strict=True)
            ],
        }


class ActionDesk:
    """Through the same actions as pages and API."""

    def __init__(self, round_: Round) -> None:
        self._round = round_

    def claim(self, reviewer: User) -> dict[str, Any] | None:
        # Half a reservation ago: active time is bounded by the time since the claim.
        began = timezone.now() - timedelta(minutes=self._round.reservation_minutes) / 2
        kind = RoundKind(self._round.kind)
        seat = claim_seat(round_=self._round, reviewer=reviewer, now=began, kind=kind)
        if kind != RoundKind.REVIEW:
            return seat_json(seat) if seat else None
        if seat and self._round.has_blind_reading:
            reveal_source(assignment=seat, reviewer=reviewer, now=began)
        return claim_json(load_texts(seat)) if seat else None

    def submit(self, reviewer: User, seat: Mapping[str, Any], body: dict[str, Any]) -> None:
        if self._round.kind != RoundKind.REVIEW:
            self._answer(reviewer, seat, body)
            return
        correction = body.get("correction")
        submit_judgement(
            assignment=Assignment.objects.select_related("round").get(pk=seat["assignment"]),
            reviewer=reviewer,
            revision_id=body["revision"],
            content=JudgementContent(
                verdict=body["verdict"],
                ratings=body["ratings"],
                tags=body["tags"],
                comment=body["comment"],
                correction=Correction.from_json(correction) if correction else None,
                numbers_confirmed=True,
                active_seconds=body["active_seconds"],
            ),
            idempotency_key=uuid.uuid4().hex,
            now=timezone.now(),
        )

    def _answer(self, reviewer: User, seat: Mapping[str, Any], body: dict[str, Any]) -> None:
        submit_answer(
            assignment=Assignment.objects.select_related("round__project", "panel").get(
                pk=seat["assignment"]
            ),
            reviewer=reviewer,
            content=_answer_content(body),
            idempotency_key=uuid.uuid4().hex,
            now=timezone.now(),
        )


def _answer_content(body: Mapping[str, Any]) -> AnswerContent:
    said = {"comment": body["comment"], "active_seconds": body["active_seconds"]}
    if "texts" not in body:
        return AnswerContent(choice=body["choice"] or "", **said)
    opinions = {
        each["number"]: TextOpinion(
            is_approved=each["is_approved"], ratings=each["ratings"], rank=each["rank"]
        )
        for each in body["texts"]
    }
    return AnswerContent(token=body["token"], opinions=opinions, **said)


class HttpDesk:
    """Through the API of a running server, each reviewer with a token of their own."""

    def __init__(self, url: str, round_: Round) -> None:
        self._url = f"{url.rstrip('/')}/api/v1/"
        self._client = httpx.Client(timeout=TIMEOUT_SECONDS)
        self._round = round_
        self._tokens: dict[int, str] = {}
        self._address = "judgement" if round_.kind == RoundKind.REVIEW else "answer"

    def claim(self, reviewer: User) -> dict[str, Any] | None:
        is_review = self._round.kind == RoundKind.REVIEW
        address = "claim" if is_review else "take"
        answer = self._post(reviewer, f"rounds/{self._round.pk}/{address}/")
        seat = None if answer.status_code == httpx.codes.NO_CONTENT else dict(answer.json())
        if seat and is_review and seat["is_blind"]:
            return dict(self._post(reviewer, f"assignments/{seat['assignment']}/reveal/").json())
        return seat

    def submit(self, reviewer: User, seat: Mapping[str, Any], body: dict[str, Any]) -> None:
        self._post(
            reviewer,
            f"assignments/{seat['assignment']}/{self._address}/",
            json=body,
            headers={"Idempotency-Key": uuid.uuid4().hex},
        )

    def _post(
        self,
        reviewer: User,
        path: str,
        *,
        json: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        token = {"Authorization": f"Token {self._token(reviewer)}"}
        try:
            answer = self._client.post(
                f"{self._url}{path}", json=json, headers={**token, **(headers or {})}
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServerUnreachable(url=self._url, reason=error) from error
        if not answer.is_success:
            raise ServerRefused(status=answer.status_code, body=answer.text[:300])
        return answer

    def _token(self, reviewer: User) -> str:
        if reviewer.pk not in self._tokens:
            issued = create_token(user=reviewer, name="simulation", actor=None, now=timezone.now())
            self._tokens[reviewer.pk] = issued.secret
        return self._tokens[reviewer.pk]


def enrol_simulated(project: Project, count: int) -> list[User]:
    """The first `count` simulated reviewers of the project, made where they are missing."""
    people = [
        enrol_person(
            email=f"reviewer-{number:02d}@{project.slug}.simulated.example",
            name=f"Simulated reviewer {number}",
            password=None,
            roles=[(project, Role.REVIEWER)],
            actor=None,
            now=timezone.now(),
        )
        for number in range(1, count + 1)
    ]
    for user in people:
        mark_simulated(user=user, actor=None, now=timezone.now())
    return people


def _answer_truth(round_: Round, faulty: list[str], seed: int) -> AnswerTruth:
    """The keys and the authors of the texts of a round of another kind. Raises ShareUnreadable."""
    try:
        shares = shares_of(faulty)
    except ValueError as error:
        raise ShareUnreadable(text=error.args[0]) from error
    items = Item.objects.filter(panels__round=round_)
    if round_.kind == RoundKind.REVIEW:
        items = items.none()
    texts = Revision.objects.filter(translation__item__in=items.values("pk")).order_by("pk")
    rows = texts.values_list("translation__item__uid", "question", "translation__system")
    return AnswerTruth(
        keys=dict(items.values_list("uid", "key")),
        systems={(uid, question): system for uid, question, system in rows},
        faulty_shares=shares,
        seed=seed,
    )


def _truth(faults: Path | None, corrections: Path | None) -> Truth:
    return Truth(
        faults={row["uid"]: row["kind"] for row in _lines(faults, {"uid", "kind"})},
        corrections={
            row["uid"]: row for row in _lines(corrections, {"uid", "question", "options"})
        },
        is_complete=faults is not None,
    )


def _lines(path: Path | None, names: set[str]) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file. Raises TruthUnreadable where one lacks any of `names`."""
    if path is None:
        return
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not names <= set(row):
            raise TruthUnreadable(file=path, row=number, names=", ".join(sorted(names)))
        yield row
