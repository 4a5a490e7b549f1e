"""Takes in judgements that were made elsewhere, from files in the shape of arena-hard's."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from arena.actions.arenas import FAMILY_LENGTH, NAME_LENGTH, check_name
from arena.enums import CallState, Plan
from arena.models import Arena, ArenaCall, Battle, Contestant, Judge
from arena.queries import prompts_of
from arena.verdicts import VERDICTS
from common.errors import DomainError
from projects.locks import lock_project
from projects.models import Project
from releases.models import Release

MOST_LINES: Final = 100_000
INSERT_BATCH: Final = 500
GAMES: Final = 2


class LineUnreadable(DomainError):
    code = "line_unreadable"
    detail = gettext_lazy("Line %(line)s: %(problem)s")
    status = 400


class TooManyLines(DomainError):
    code = "too_many_lines"
    detail = gettext_lazy("A file has at most %(most)s lines. Divide it among several arenas.")
    status = 400


class FileEmpty(DomainError):
    code = "file_empty"
    detail = gettext_lazy("The file has no line with a judgement. Choose another file.")
    status = 400


@dataclass(frozen=True, slots=True)
class Judged:
    """A line: `games` are (verdict, judgement), first with the baseline as A, then the other way round."""

    item: int
    model: str
    baseline: str
    judge: str
    games: tuple[tuple[str, str], ...]


def import_arena(
    *,
    project: Project,
    release: Release,
    name: str,
    lines: Iterable[str],
    baseline: str,
    families: Mapping[str, str],
    actor: User | None,
    now: datetime,
) -> Arena:
    """Write an arena with the verdicts of a file, and an audit row; all of it or nothing.

    `baseline` is whom lines without one played against. With several of them in the file, it is an
    arena of all against all. Raises LineUnreadable, TooManyLines, FileEmpty, ArenaInvalid. Count
    the arena to see its figures.
    """
    rows = list(read_lines(release, lines, baseline))
    if not rows:
        raise FileEmpty
    plan = Plan.BASELINE if len({row.baseline for row in rows}) == 1 else Plan.BALANCED
    with transaction.atomic():
        lock_project(project.pk)
        check_name(project, name)
        arena: Arena = Arena.objects.create(
            project=project, release=release, name=name, plan=plan, rubric="",
            is_imported=True, created_by=actor, created_at=now,
        )  # fmt: skip
        _store(arena, rows, families, now)
        record_event(
            actor=actor, verb="arena.imported", target=f"arena:{arena.pk}", scope=project.slug,
            data={"name": name, "lines": len(rows)}, now=now,
        )  # fmt: skip
    return arena


def read_lines(release: Release, lines: Iterable[str], baseline: str) -> Iterable[Judged]:
    """Yield what the lines say. Raises LineUnreadable, TooManyLines."""
    items = dict(prompts_of(release).values_list("public_id", "pk"))
    seen: set[tuple[int, str, str, str]] = set()
    for number, line in enumerate(lines, 1):
        if number > MOST_LINES:
            raise TooManyLines(most=MOST_LINES)
        if not line.strip():
            continue
        row = _read(number, line, items, baseline)
        key = (row.item, row.model, row.baseline, row.judge)
        if key in seen:
            raise LineUnreadable(line=number, problem=_("The same game is there twice."))
        seen.add(key)
        yield row


def _read(number: int, line: str, items: Mapping[str, int], baseline: str) -> Judged:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LineUnreadable(line=number, problem=_("This is no JSON.")) from error
    if not isinstance(row, dict):
        raise LineUnreadable(line=number, problem=_("This is no JSON object."))
    against = row.get("baseline", baseline)
    names = (row.get("model"), against, row.get("judge"))
    for each in names:
        if not isinstance(each, str) or not 0 < len(each) <= NAME_LENGTH or not each.isprintable():
            words = _("It needs names of model, baseline and judge, of at most 100 characters.")
            raise LineUnreadable(line=number, problem=words)
    model, _against, judge = (str(each) for each in names)
    if model == against:
        raise LineUnreadable(line=number, problem=_("A model can’t play against itself."))
    item = items.get(str(row.get("question_id")))
    if item is None:
        words = _("question_id is no open-ended test item of this release.")
        raise LineUnreadable(line=number, problem=words)
    return Judged(item, model, str(against), judge, _games(number, row.get("games")))


def _games(number: int, games: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(games, list) or len(games) != GAMES:
        raise LineUnreadable(line=number, problem=_("games needs two entries."))
    found = []
    for game in games:
        told = game if isinstance(game, dict) else {}
        score, text = told.get("score"), told.get("judgment", "")
        if score is not None and score not in VERDICTS:
            words = _("score must be null or one of: %s.") % ", ".join(VERDICTS)
            raise LineUnreadable(line=number, problem=words)
        clean = str(text).replace("\0", "").encode("utf-8", "replace").decode()
        found.append((score or "", clean))
    return tuple(found)


def _store(arena: Arena, rows: list[Judged], families: Mapping[str, str], now: datetime) -> None:
    baselines = {row.baseline for row in rows}
    names = sorted({row.model for row in rows} | baselines)
    Contestant.objects.bulk_create(
        Contestant(
            arena=arena, name=name, family=families.get(name, "")[:FAMILY_LENGTH],
            is_baseline=baselines == {name},
        )
        for name in names
    )  # fmt: skip
    Judge.objects.bulk_create(
        Judge(arena=arena, name=name, family=families.get(name, "")[:FAMILY_LENGTH])
        for name in sorted({row.judge for row in rows})
    )
    contestants = dict(arena.contestants.values_list("name", "pk"))
    judges = dict(arena.judges.values_list("name", "pk"))
    meetings = dict.fromkeys((row.item, row.model, row.baseline) for row in rows)
    Battle.objects.bulk_create(
        (
            Battle(
                arena=arena, release_item_id=item, first_id=contestants[model],
                second_id=contestants[other],
            )
            for item, model, other in meetings
        ),
        batch_size=INSERT_BATCH,
    )  # fmt: skip
    stored = arena.battles.values_list("release_item", "first__name", "second__name", "pk")
    battles = {(item, model, other): pk for item, model, other, pk in stored}
    ArenaCall.objects.bulk_create(
        (
            ArenaCall(
                battle_id=battles[row.item, row.model, row.baseline], judge_id=judges[row.judge],
                is_swapped=place == 0, state=CallState.ANSWERED, verdict=verdict, text=text,
                created_at=now,
            )
            for row in rows
            for place, (verdict, text) in enumerate(row.games)
        ),
        batch_size=INSERT_BATCH,
    )  # fmt: skip
