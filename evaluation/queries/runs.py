"""Which runs there are, what a run asks, and what it has asked already."""

from collections import defaultdict

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.enums import SplitName
from annotation.models import Project
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run
from releases.models import Release, ReleaseItem
from releases.queries import release_items, releases_seen_by


def runs_seen_by(user: User, project: Project) -> QuerySet[Run]:
    """The project's runs on releases that `user` may see, with what a list shows."""
    rows = Run.objects.filter(release__in=releases_seen_by(user, project))
    return rows.select_related(
        "release__project", "model_spec", "prompt_template", "job", "started_by"
    )


def asked_items(release: Release) -> QuerySet[ReleaseItem]:
    """What a run asks: the test items of the release, hidden ones too, in the order of its files."""
    return release_items(release).filter(split=SplitName.TEST)


def shots_by_subject(run: Run) -> dict[int, list[ReleaseItem]]:
    """By subject id the first `shots` dev items of the release, in order; one query, or none."""
    found: dict[int, list[ReleaseItem]] = defaultdict(list)
    if run.shots:
        for placed in release_items(run.release).filter(split=SplitName.DEV):
            if len(found[placed.item.subject_id]) < run.shots:
                found[placed.item.subject_id].append(placed)
    return dict(found)


def shots_of(run: Run, subject_id: int) -> list[ReleaseItem]:
    """What `shots_by_subject` holds for one subject, without reading the others."""
    devs = release_items(run.release).filter(split=SplitName.DEV, item__subject=subject_id)
    return list(devs[: run.shots])


def subjects_short_of_shots(run: Run) -> list[str]:
    """Names of the subjects whose questions get fewer examples than the run asks for."""
    if not run.shots:
        return []
    is_dev = Q(split=SplitName.DEV)
    rows = run.release.items.order_by().values_list("item__subject__name")
    counts = rows.annotate(devs=Count("pk", filter=is_dev), tests=Count("pk", filter=~is_dev))
    short = counts.filter(devs__lt=run.shots, tests__gt=0).order_by("item__subject__name")
    return [name for name, _devs, _tests in short]


def answered_units(run: Run, *, first: int, last: int) -> set[tuple[int, int]]:
    """The (release item id, epoch) at positions `first` to `last` that have an answer."""
    rows = _answers(run).filter(release_item__position__range=(first, last))
    return set(rows.values_list("release_item_id", "epoch"))


def answered_count(run: Run) -> int:
    """How many (item, epoch) of the run have an answer."""
    return _answers(run).count()


def open_units(run: Run) -> int:
    """How many (item, epoch) of the run have no answer."""
    return asked_items(run.release).count() * run.epochs - answered_count(run)


def lasting_failures(run: Run) -> QuerySet[ModelResponse]:
    """One failed response, the last, of each (item, epoch) that was never answered."""
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
