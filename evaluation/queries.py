"""Finds runs, the questions of a run, and those that have been answered."""

import random
from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.enums import ItemKind, SplitName
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run
from evaluation.request_building import KIND_OF_KEY
from projects.models import Project
from prompts.enums import PromptStyle
from releases.models import Release, ReleaseItem
from releases.queries import release_items, releases_seen_by
from scoring.scorers import SCORERS

COMPARED_KINDS = (ItemKind.OPEN, ItemKind.TRANSLATION)


def runs_seen_by(user: User, project: Project) -> QuerySet[Run]:
    """Return the project's runs on releases that `user` may see, with the relations for a list."""
    rows = Run.objects.filter(release__in=releases_seen_by(user, project))
    return rows.select_related(
        "release__project", "model_spec", "prompt_template", "job", "scoring_job", "started_by"
    )


def kinds_asked(methods: Sequence[str]) -> list[str]:
    """Return the kinds of items that a run with these methods asks: those that they can score.

    A run without methods asks open-ended items, which judges compare later.
    """
    if not methods:
        return [str(ItemKind.OPEN)]
    return sorted({str(KIND_OF_KEY[SCORERS[name].key_kind]) for name in methods})


def asked_items(release: Release, methods: Sequence[str]) -> QuerySet[ReleaseItem]:
    """Return the items that a run asks: test items that its methods score, in the order of the files."""
    return release_items(release).filter(is_asked(methods), split=SplitName.TEST)


def is_asked(methods: Sequence[str]) -> Q:
    """Return the condition of the items that methods score: a text is compared with a reference."""
    fit = Q(kind__in=kinds_asked(methods))
    return fit & ~Q(kind__in=COMPARED_KINDS, revision__answer="") if methods else fit


def example_items(release: Release, methods: Sequence[str]) -> QuerySet[ReleaseItem]:
    """Return the items that can be examples: dev items of the kinds that are asked, in that order."""
    return release_items(release).filter(split=SplitName.DEV, kind__in=kinds_asked(methods))


def shots_by_subject(run: Run) -> dict[tuple[int, str], list[ReleaseItem]]:
    """Return the shots of each subject id and kind, with at most one query.

    They are the first dev items, or those that the prompt's seed draws.
    """
    found: dict[tuple[int, str], list[ReleaseItem]] = defaultdict(list)
    if run.shots:
        for placed in example_items(run.release, run.methods):
            found[placed.subject_id, placed.kind].append(placed)
    return {place: _chosen_shots(run, rows) for place, rows in found.items()}


def shots_of(run: Run, placed: ReleaseItem) -> list[ReleaseItem]:
    """Return the shots of one item, without reading those of other subjects."""
    rows = example_items(run.release, run.methods)
    return _chosen_shots(run, rows.filter(subject=placed.subject_id, kind=placed.kind))


def _chosen_shots(run: Run, rows: list[ReleaseItem] | QuerySet[ReleaseItem]) -> list[ReleaseItem]:
    """Return the run's shots out of the dev items of one subject and kind, which are in release order.

    A draw depends on the seed, the subject, the kind and the items, so it is the same in each epoch
    and when the run goes on.
    """
    seed = run.prompt_template.shot_seed
    if seed is None or not rows:
        return list(rows[: run.shots])
    drawing = random.Random(f"{seed}:{rows[0].subject.slug}:{rows[0].kind}")
    return drawing.sample(list(rows), min(run.shots, len(rows)))


def shots_without_explanation(run: Run) -> tuple[int, int]:
    """Return how many examples the run has over all subjects, and how many of these lack an explanation.

    Only a chain of thought needs explanations, in the target language; otherwise none lacks one.
    """
    shots = [shot for some in shots_by_subject(run).values() for shot in some]
    if run.prompt_template.style != PromptStyle.CHAIN_OF_THOUGHT:
        return len(shots), 0
    return len(shots), sum(not shot.revision.explanation.strip() for shot in shots)


def subjects_short_of_shots(run: Run) -> list[str]:
    """Return the names of the subjects that have fewer dev items than the run needs as shots."""
    if not run.shots:
        return []
    is_dev = Q(split=SplitName.DEV)
    asked = run.release.items.filter(kind__in=kinds_asked(run.methods))
    rows = asked.order_by().values_list("subject__name", "kind")
    counts = rows.annotate(devs=Count("pk", filter=is_dev), tests=Count("pk", filter=~is_dev))
    short = counts.filter(devs__lt=run.shots, tests__gt=0).order_by("subject__name", "kind")
    return list(dict.fromkeys(name for name, _kind, _devs, _tests in short))


def answered_units(run: Run, *, first: int, last: int) -> set[tuple[int, int]]:
    """Return the (release item id, epoch) with an answer, at positions `first` to `last`."""
    rows = _answers(run).filter(release_item__position__range=(first, last))
    return set(rows.values_list("release_item_id", "epoch"))


def answered_count(run: Run) -> int:
    """Return how many (item, epoch) of the run have an answer."""
    return _answers(run).count()


def open_units(run: Run) -> int:
    """Return how many (item, epoch) of the run have no answer."""
    return asked_items(run.release, run.methods).count() * run.epochs - answered_count(run)


def lasting_failures(run: Run) -> QuerySet[ModelResponse]:
    """Return the last failed response of each (item, epoch) without an answer."""
    same = ModelResponse.objects.filter(
        run=run, release_item=OuterRef("release_item"), epoch=OuterRef("epoch")
    )
    return ModelResponse.objects.filter(
        ~Exists(same.filter(state=ResponseState.ANSWERED)),
        ~Exists(same.filter(state=ResponseState.FAILED, pk__gt=OuterRef("pk"))),
        run=run,
        state=ResponseState.FAILED,
    )


def _answers(run: Run) -> QuerySet[ModelResponse]:
    return ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED)
