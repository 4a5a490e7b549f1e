"""However much an item has gone through, no page and no answer of the API about it grows on."""

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from annotation.enums import Origin
from annotation.models import Item, KeyChange, Revision
from review.enums import Outcome, PanelState, RoundState, SeatState, Verdict
from review.models import Adjudication, Assignment, Comment, Judgement, Panel, Round, Suggestion
from tests.factories import RoundFactory
from tests.permissions import ADDRESSES, Browsers, url_of
from tests.world import World, addresses

ROWS = 300
ROUNDS = 43  # with seven judgements each
MOST_BYTES = 300_000
WORDS = "ཚིག་འདི་ལ་སྐྱོན་ཡོད། " * 10
ONE_ITEM = ("items/<int:pk>/", "disputes/<int:pk>/", "second-looks/<int:pk>/")
NUMBERS = count(100_000)  # ids of rows that name each other, far from those of the world


def test_no_answer_about_an_item_grows_with_its_history(world: World) -> None:
    world = replace(world, item=world.dispute.item)
    _comment_often(world.item, world)
    _rewrite_often(world.item)
    _correct_key_often(world.item)
    _judge_often(world.item, _past_rounds(world), world)

    sizes = _sizes(world)

    assert {"review:comments", "review:item-history", "api:comments", "api:item-history"} <= {
        *sizes
    }
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}


def test_claimed_item_brings_the_latest_words_of_earlier_rounds(world: World) -> None:
    _judge_often(world.held_seat.panel.item, _past_rounds(world)[-3:], world)

    claim = world.browser("reviewer").post(f"/api/v1/rounds/{world.round.pk}/claim/").json()

    last = ROUNDS + 2
    said = [words["round"] for words in claim["earlier"]]
    assert said == [last - 2] * 4 + [last - 1] * 8 + [last] * 8


def _sizes(world: World) -> dict[str, int]:
    """The size of each answer about one item, by the name of its address."""
    browsers, sizes = Browsers(world), {}
    for name, pattern, route in addresses():
        if name in ADDRESSES and any(part in route for part in ONE_ITEM):
            answer = browsers.of(name, "GET").get(url_of(world, name, pattern))
            if answer.status_code == 200:
                sizes[name] = len(answer.content)
    return sizes


def _comment_often(item: Item, world: World) -> None:
    """Half of the comments are in one thread."""
    said: dict[str, Any] = {
        "item": item,
        "author": world.people["reviewer"],
        "is_from_manager": False,
        "text": WORDS,
        "created_at": timezone.now(),
    }
    thread = Comment.objects.create(**said, idempotency_key=f"{item.pk}")
    Comment.objects.bulk_create(
        Comment(**said, thread=thread if n % 2 else None, idempotency_key=f"{item.pk}/{n}")
        for n in range(ROWS)
    )


def _rewrite_often(item: Item) -> None:
    assert item.working_translation
    before = item.working_translation.current_revision
    now, made = timezone.now(), []
    for number in range(2, ROWS + 2):
        before = Revision(
            pk=next(NUMBERS),
            translation=item.working_translation,
            number=number,
            supersedes=before,
            question=f"{WORDS} {number}",
            options=item.options,
            origin=Origin.HUMAN,
            content_hash=f"{number}",
            created_at=now + timedelta(seconds=number),
        )
        made.append(before)
    Revision.objects.bulk_create(made)


def _correct_key_often(item: Item) -> None:
    made: list[KeyChange] = []
    for number in range(1, ROWS + 1):
        change = KeyChange(
            pk=next(NUMBERS),
            item=item,
            number=number,
            supersedes=made[-1] if made else None,
            old_key="A",
            new_key="B",
            reason=WORDS,
            created_at=timezone.now(),
        )
        made.append(change)
    KeyChange.objects.bulk_create(made)


def _judge_often(item: Item, rounds: list[Round], world: World) -> None:
    """Judge it in each round with seven comments, a late suggestion and an adjudication."""
    assert item.working_translation
    text, people = item.working_translation.current_revision, list(world.people.values())[:7]
    now = timezone.now()
    judged = {"revision": text, "comment": WORDS}
    for round_ in rounds:
        panel = Panel.objects.create(
            round=round_,
            item=item,
            revision=text,
            subject=item.subject,
            position=90,
            state=PanelState.SETTLED,
            outcome=Outcome.DISPUTED,
            decided_at=now,
            settled_at=now,
        )
        seats = Assignment.objects.bulk_create(
            Assignment(
                panel=panel,
                round=round_,
                position=90,
                seat=seat,
                reviewer=person,
                state=SeatState.JUDGED,
            )
            for seat, person in enumerate(people, start=1)
        )
        Judgement.objects.bulk_create(
            Judgement(
                **judged,
                assignment=seat,
                panel=panel,
                reviewer=seat.reviewer,
                verdict=Verdict.APPROVE,
                ratings={"domain": 4, "cultural": 1},
                idempotency_key=f"{seat.pk}",
                receipt=f"00000000-0000-4000-9000-{seat.pk:012d}",
                submitted_at=now,
            )
            for seat in seats
        )
        late = {"panel": panel, "author": people[0], "created_at": now}
        Suggestion.objects.create(**judged, **late, reason="late", idempotency_key=f"{panel.pk}")
        Adjudication.objects.create(
            panel=panel, senior=people[0], decision="approve", reason=WORDS, decided_at=now
        )


def _past_rounds(world: World) -> list[Round]:
    """Closed rounds before the one that is open."""
    world.round.number = ROUNDS + 3
    world.round.save(update_fields=["number"])
    return [
        RoundFactory(
            project=world.project,
            number=number,
            state=RoundState.CLOSED,
            guideline=world.round.guideline,
        )
        for number in range(3, ROUNDS + 3)
    ]
