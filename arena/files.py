"""Judgements as JSONL, a line for a battle and a judge, in the shape of arena-hard's judgement files.

Only battles on open prompts: what is said about a hidden one may quote it.
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any, Final

from arena.models import Arena, ArenaCall
from releases.enums import Subset

CHUNK: Final = 500


def battle_lines(arena: Arena) -> Iterator[str]:
    """Yield {question_id, model, baseline, judge, games: [{score, judgment}, {score, judgment}]}.

    The first game shows `baseline` as A, the second `model`, as in arena-hard. A game that has no
    readable verdict is null.
    """
    rows = ArenaCall.objects.filter(
        battle__arena=arena, battle__release_item__subset=Subset.OPEN
    ).exclude(verdict="")
    rows = rows.select_related("battle__release_item", "battle__first", "battle__second", "judge")
    rows = rows.order_by("battle", "judge", "is_swapped")
    for _key, calls in itertools.groupby(
        rows.iterator(chunk_size=CHUNK), lambda call: (call.battle_id, call.judge_id)
    ):
        yield json.dumps(_line(list(calls)), ensure_ascii=False) + "\n"


def _line(calls: list[ArenaCall]) -> dict[str, Any]:
    battle, judge = calls[0].battle, calls[0].judge
    games: list[dict[str, str] | None] = [None, None]
    for call in calls:
        games[0 if call.is_swapped else 1] = {"score": call.verdict, "judgment": call.text}
    return {
        "question_id": battle.release_item.public_id,
        "model": battle.first.name,
        "baseline": battle.second.name,
        "judge": judge.name,
        "games": games,
    }
