"""What tests of rounds do again and again: give texts, take seats, answer, close, be refused."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from annotation import models as annotation
from annotation.enums import Origin
from common.errors import DomainError
from projects.criteria import DEFAULT_NAMES
from review.answers.actions import AnswerContent, TextOpinion, submit_answer
from review.answers.comparing import candidates_for
from review.enums import RoundKind
from review.models import Answer, Assignment, Round
from review.rounds.actions.rounds import close_round
from review.seats.actions.seats import claim_seat
from tests.factories import digest

OPTIONS = ["གཅིག", "གཉིས", "གསུམ", "བཞི"]


def add_text(
    item: annotation.Item,
    system: str,
    question: str,
    *,
    origin: Origin = Origin.MT,
    author: User | None = None,
    number: int = 1,
) -> annotation.Revision:
    """Give an item the text of a system; a later `number` supersedes the one before."""
    translation, _is_new = annotation.Translation.objects.get_or_create(
        item=item, system=system, defaults={"created_at": timezone.now()}
    )
    revision = annotation.Revision.objects.create(
        translation=translation,
        number=number,
        supersedes=translation.current_revision,
        question=question,
        options=OPTIONS,
        origin=origin,
        author=author,
        content_hash=digest((question, OPTIONS)),
        created_at=timezone.now(),
    )
    translation.current_revision = revision
    translation.save(update_fields=["current_revision"])
    return revision


def add_system(project: Any, system: str = "other", text: str = "གཞན།") -> None:
    """Give every item of the project a text of another system."""
    for item in project.items.order_by("pk"):
        add_text(item, system, text)


def take(round_: Round, user: User) -> Assignment:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now(), kind=RoundKind(round_.kind))
    assert seat is not None
    return seat


def close(round_: Round, actor: User | None = None) -> Round:
    return close_round(round_=round_, actor=actor, now=timezone.now())


def refusal(call: Callable[[], object]) -> DomainError:
    """Why `call` was refused."""
    with pytest.raises(DomainError) as refused:
        call()
    return refused.value


def give(seat: Assignment, user: User, content: AnswerContent, key: str = "") -> Answer:
    return submit_answer(
        assignment=seat,
        reviewer=user,
        content=content,
        idempotency_key=key or f"key-{seat.pk}",
        now=timezone.now(),
    )


def solve(round_: Round, user: User, choice: str = "A", **more: Any) -> Answer:
    """Take the next item and answer it."""
    return give(take(round_, user), user, AnswerContent(choice=choice, **more))


def opinion(**said: Any) -> TextOpinion:
    """An approval with 4 and 4, unless said otherwise."""
    ratings = {name: said.pop(name, 4) for name in DEFAULT_NAMES}
    return TextOpinion(**{"is_approved": True, "ratings": ratings, **said})


def compare(round_: Round, user: User, of: dict[str, TextOpinion], **more: Any) -> Answer:
    """Take the next item and say of each system's text what `of` has for the system."""
    seat = take(round_, user)
    return give(seat, user, comparison(seat, user, of, **more))


def comparison(
    seat: Assignment, user: User, of: dict[str, TextOpinion], **more: Any
) -> AnswerContent:
    shown = candidates_for(seat.panel, seat.round, user.pk)
    systems = dict(
        annotation.Revision.objects.filter(translation__item=seat.panel.item_id).values_list(
            "pk", "translation__system"
        )
    )
    opinions = {each.number: of[systems[each.revisions[0]]] for each in shown.texts}
    return AnswerContent(**{"opinions": opinions, "token": shown.token, **more})
