"""Arenas, their answers and their games."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q, QuerySet

from accounts.models import User
from annotation.enums import ItemKind, SplitName
from arena.enums import CallState
from arena.models import Arena, ArenaCall, Battle, Contestant, Judge, Seat
from arena.rates import Game
from arena.verdicts import score_for_first
from common.names import fold_name
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run
from jobs.enums import JobState
from projects.models import Project
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from releases.queries import releases_seen_by

READ_AT_ONCE = 2000
ORDERS = (False, True)


def arenas_seen_by(user: User, project: Project) -> QuerySet[Arena]:
    """Return the project's arenas on releases that `user` may see."""
    rows = Arena.objects.filter(project=project, release__in=releases_seen_by(user, project))
    return rows.select_related("project", "release", "job", "created_by")


def open_runs(user: User, project: Project) -> QuerySet[Run]:
    """Return finished runs on open-ended items, of releases that `user` may see, the newest first."""
    rows = Run.objects.filter(
        release__in=releases_seen_by(user, project), methods=[], job__state=JobState.DONE
    )
    return rows.select_related("release", "model_spec").order_by("-pk")


def prompts_of(release: Release) -> QuerySet[ReleaseItem]:
    """Return the items that an arena can use: open-ended test items, in the order of the files."""
    rows = release.items.filter(kind=ItemKind.OPEN, split=SplitName.TEST)
    return rows.order_by("position", "pk")


def answered_by(run_pks: Sequence[int], items: QuerySet[ReleaseItem]) -> dict[int, list[int]]:
    """Return which of the runs have an answer that says something, by item, in the items' order."""
    rows = ModelResponse.objects.filter(
        run__in=run_pks, epoch=1, state=ResponseState.ANSWERED, release_item__in=items
    ).exclude(text="")
    found: dict[int, list[int]] = defaultdict(list)
    ordered = rows.order_by("release_item__position", "release_item", "run")
    for item, run in ordered.values_list("release_item", "run"):
        found[item].append(run)
    return dict(found)


def answer_texts(battles: Sequence[Battle]) -> dict[tuple[int, int], str]:
    """Return the answers of these battles by (item, run); contestants must be loaded."""
    runs = {each.run_id for battle in battles for each in (battle.first, battle.second)}
    rows = ModelResponse.objects.filter(
        run__in=runs - {None},
        epoch=1,
        state=ResponseState.ANSWERED,
        release_item__in={battle.release_item_id for battle in battles},
    )
    return {
        (item, run): text for item, run, text in rows.values_list("release_item", "run", "text")
    }


def is_same_family(judge: Judge, contestant: Contestant) -> bool:
    """Return whether a judge is the contestant's model or of its family; specs must be loaded.

    Names that look alike are the same, so that “Qwen” does not judge “qwen”.
    """
    if judge.family and fold_name(judge.family) == fold_name(contestant.family):
        return True
    if judge.model_spec is None or contestant.run is None:
        return fold_name(judge.name) == fold_name(contestant.name)
    return fold_name(judge.model_spec.model) == fold_name(contestant.run.model_spec.model)


def contestants_of(arena: Arena) -> list[Contestant]:
    rows = arena.contestants.select_related("run__model_spec").order_by("pk")
    return list(rows)


def judges_of(arena: Arena) -> list[Judge]:
    return list(arena.judges.select_related("model_spec__endpoint").order_by("pk"))


def own_pairs(
    judges: Iterable[Judge], contestants: Iterable[Contestant]
) -> Mapping[int, frozenset[int]]:
    """Return by judge the contestants whose battles it must not judge."""
    every = list(contestants)
    return {
        judge.pk: frozenset(each.pk for each in every if is_same_family(judge, each))
        for judge in judges
    }


def games_of(arena: Arena) -> list[Game]:
    """Return every readable verdict of a model."""
    own = own_pairs(judges_of(arena), contestants_of(arena))
    rows = ArenaCall.objects.filter(battle__arena=arena).exclude(verdict="").order_by("pk")
    names = ("battle__release_item", "battle__first", "battle__second", "judge")
    found = []
    for question, first, second, judge, is_swapped, verdict in rows.values_list(
        *names, "is_swapped", "verdict"
    ):
        score = score_for_first(verdict, is_swapped=is_swapped)
        is_own = not own[judge].isdisjoint((first, second))
        found.append(Game(question, first, second, judge, is_swapped, score, is_own))
    return found


def human_scores(arena: Arena) -> dict[tuple[int, int, int], dict[int, int]]:
    """Return people's scores for the first contestant, by (question, first, second) and person."""
    rows = Seat.objects.filter(battle__arena=arena).exclude(verdict="").order_by("judged_at", "pk")
    names = ("battle__release_item", "battle__first", "battle__second", "person")
    found: dict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
    for question, first, second, person, is_swapped, verdict in rows.values_list(
        *names, "is_swapped", "verdict"
    ):
        score = score_for_first(verdict, is_swapped=is_swapped)
        found[question, first, second][person] = score
    return dict(found)


def simulated_verdicts(arena: Arena) -> int:
    """Return how many of the verdicts of people programs gave in their place."""
    rows = Seat.objects.filter(battle__arena=arena, person__is_simulated=True)
    count: int = rows.exclude(verdict="").count()
    return count


def unreadable_counts(arena: Arena) -> dict[int, int]:
    """Return by judge how many (battle, order) were answered and have no readable verdict."""
    rows = ArenaCall.objects.filter(battle__arena=arena, state=CallState.ANSWERED)
    read: dict[tuple[int, int, bool], bool] = {}
    for judge, battle, is_swapped, verdict in rows.values_list(
        "judge", "battle", "is_swapped", "verdict"
    ):
        key = (judge, battle, is_swapped)
        read[key] = read.get(key, False) or bool(verdict)
    found: dict[int, int] = defaultdict(int)
    for (judge, _battle, _order), is_read in read.items():
        found[judge] += not is_read
    return dict(found)


def shown_battles(arena: Arena) -> QuerySet[Battle]:
    """Return battles on open prompts: the only ones whose texts leave the server or reach a list."""
    rows = arena.battles.filter(release_item__subset=Subset.OPEN)
    return rows.select_related("release_item__revision", "first", "second")


def battles_asked(arena: Arena, *, with_hidden: bool) -> QuerySet[Battle]:
    """Return the battles that judges are asked, with what their message shows."""
    is_asked = Q() if with_hidden else Q(release_item__subset=Subset.OPEN)
    rows = arena.battles.filter(is_asked).order_by("pk")
    return rows.select_related("release_item__revision", "first", "second")
