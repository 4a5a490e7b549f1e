"""The figures of a run, from grouped counts: its cost in queries is fixed and its rows are few."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Func, IntegerField, Max, Q, QuerySet

from annotation.enums import SplitName
from annotation.models import Subject
from evaluation.enums import ResponseState
from evaluation.metrics import (
    GroupMetrics,
    Interval,
    Outcome,
    Summary,
    Tally,
    averaged_interval,
    random_baseline,
    summarise,
    summarise_epochs,
)
from evaluation.models import ModelResponse, Run, Score
from evaluation.queries.runs import lasting_failures
from evaluation.result_files import ScoreReport
from evaluation.scorers import SCORERS
from evaluation.scorers.batch import MethodMetrics
from releases.models import ReleaseItem

KEEP_SECONDS = 30 * 24 * 3600
SUBJECT = "release_item__item__subject"
Averages = Counter[tuple[int, int]]


class JsonLength(Func):
    """How many elements a JSON list has."""

    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="json_array_length", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="jsonb_array_length", **context)


@dataclass(frozen=True, slots=True)
class RunSubject:
    """A subject of the run with what happened to its questions; a question is (item, epoch).

    failed: questions for which the endpoint gave no answer; they are neither right nor wrong
    option_counts: option count → test items
    """

    pk: int
    slug: str
    name: str
    category: str
    item_count: int
    answered: int
    failed: int
    option_counts: Mapping[int, int]

    @property
    def baseline(self) -> float:
        return random_baseline(self.option_counts)


@dataclass(frozen=True, slots=True)
class RunResults:
    """What a run has found so far; rates are shares in 0…1, subjects are named by slug.

    without_category: slugs of subjects that no category holds while others have one; there are no
        category figures then, because they would leave these out
    methods: in the order of the run, those that have read an answer
    """

    model: str
    epochs: int
    item_count: int
    answered: int
    failed: int
    baseline: float | None
    subjects: tuple[RunSubject, ...]
    without_category: tuple[str, ...]
    methods: tuple[MethodMetrics, ...]

    @property
    def question_count(self) -> int:
        return self.item_count * self.epochs

    @property
    def report(self) -> ScoreReport:
        """As the writers of the published files take it."""
        counts = _sum_counts(subject.option_counts for subject in self.subjects)
        return ScoreReport(self.model, self.answered, counts, self.baseline or 0.0, self.methods)


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The rows of a run counted, by subject id; plain values that a cache can hold.

    versions: method → the newest version that has scores: the one that is counted
    outcomes: method → (subject, epoch) → tally
    averages: method → subject → (times right, times answered) → items; empty with one epoch
    """

    options: dict[int, dict[int, int]]
    answered: dict[int, int]
    failed: dict[int, int]
    versions: dict[str, int]
    outcomes: dict[str, dict[tuple[int, int], Tally]]
    averages: dict[str, dict[int, Averages]]


def run_results(run: Run) -> RunResults:
    """Everything that the result page, its files and the API print.

    Takes 3 queries, and 4 more (5 with epochs) the first time after rows have come.
    """
    counts = run_counts(run)
    subjects = _subjects(counts)
    categories, without = _categories(subjects)
    options = _sum_counts(counts.options.values())
    return RunResults(
        model=run.model_spec.name,
        epochs=run.epochs,
        item_count=sum(options.values()),
        answered=sum(counts.answered.values()),
        failed=sum(counts.failed.values()),
        baseline=random_baseline(options) if options else None,
        subjects=subjects,
        without_category=without,
        methods=tuple(_methods(run, counts, subjects, categories)),
    )


def run_counts(run: Run) -> RunCounts:
    """The counts of the run as it is now, kept in the cache.

    Responses and scores are only ever added, so their newest ids name a state of the run; what is
    kept under them never grows stale.
    """
    response = ModelResponse.objects.filter(run=run).aggregate(Max("pk"))["pk__max"]
    score = Score.objects.filter(run=run).aggregate(Max("pk"))["pk__max"]
    key = f"run-counts-2:{run.pk}:{run.started_at.timestamp()}:{response}:{score}"
    found: RunCounts | None = cache.get(key)
    if found is None:
        found = _count(run)
        cache.set(key, found, KEEP_SECONDS)
    return found


def _count(run: Run) -> RunCounts:
    answered = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED)
    outcomes = _outcome_counts(run)
    averages = _item_averages(run) if run.epochs > 1 else {}
    versions = dict(sorted(outcomes))  # of each method the highest
    return RunCounts(
        options=_options(run),
        answered=_by_subject(answered),
        failed=_by_subject(lasting_failures(run)),
        versions=versions,
        outcomes={method: outcomes[method, version] for method, version in versions.items()},
        averages={
            method: averages.get((method, version), {}) for method, version in versions.items()
        },
    )


def _options(run: Run) -> dict[int, dict[int, int]]:
    """Subject → option count → test items."""
    rows = (
        ReleaseItem.objects.filter(release=run.release_id, split=SplitName.TEST)
        .order_by()
        .annotate(option_count=JsonLength("revision__options"))
        .values_list("item__subject_id", "option_count")
        .annotate(Count("pk"))
    )
    found: dict[int, dict[int, int]] = {}
    for subject, option_count, items in rows:
        found.setdefault(subject, {})[option_count] = items
    return found


def _by_subject(responses: QuerySet[ModelResponse]) -> dict[int, int]:
    return dict(responses.order_by().values_list(f"{SUBJECT}_id").annotate(Count("pk")))


def _subjects(counts: RunCounts) -> tuple[RunSubject, ...]:
    rows = Subject.objects.filter(pk__in=list(counts.options)).order_by("slug")
    return tuple(
        RunSubject(
            pk=subject.pk,
            slug=subject.slug,
            name=subject.name,
            category=subject.category,
            item_count=sum(counts.options[subject.pk].values()),
            answered=counts.answered.get(subject.pk, 0),
            failed=counts.failed.get(subject.pk, 0),
            option_counts=counts.options[subject.pk],
        )
        for subject in rows
    )


def _categories(
    subjects: tuple[RunSubject, ...],
) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    """Slug → category, or None where categories would leave subjects out, and which those are."""
    categories = {subject.slug: subject.category for subject in subjects if subject.category}
    without = tuple(subject.slug for subject in subjects if not subject.category)
    if not categories:
        return None, ()
    return (None if without else categories), without


def _methods(
    run: Run,
    counts: RunCounts,
    subjects: tuple[RunSubject, ...],
    categories: Mapping[str, str] | None,
) -> Iterable[MethodMetrics]:
    slugs = {subject.pk: subject.slug for subject in subjects}
    for method in run.methods:
        if method not in counts.outcomes:
            continue
        by_subject: dict[str, Tally] = {}
        by_epoch: dict[int, Tally] = {}
        for (pk, epoch), tally in counts.outcomes[method].items():
            by_subject[slugs[pk]] = by_subject.get(slugs[pk], Tally()) + tally
            by_epoch[epoch] = by_epoch.get(epoch, Tally()) + tally
        present = {slug: categories[slug] for slug in by_subject} if categories else None
        summary = summarise(by_subject, present)
        if run.epochs > 1:
            averages = {slugs[pk]: some for pk, some in counts.averages[method].items()}
            summary = _over_items(summary, averages, present)
        accuracies = [by_epoch[epoch].rates.accuracy for epoch in sorted(by_epoch)]
        version = str(counts.versions[method])
        yield MethodMetrics(SCORERS[method], version, summary, summarise_epochs(accuracies))


def _outcome_counts(run: Run) -> dict[tuple[str, int], dict[tuple[int, int], Tally]]:
    """(Method, version) → (subject, epoch) → tally."""
    rows = (
        Score.objects.filter(run=run)
        .order_by()
        .values_list(
            "method", "version", f"response__{SUBJECT}_id", "response__epoch", "error_kind"
        )
        .annotate(Count("pk"))
    )
    found: dict[tuple[str, int], dict[tuple[int, int], Tally]] = {}
    for method, version, subject, epoch, error_kind, count in rows:
        outcome: Outcome = error_kind or "correct"
        tallies = found.setdefault((method, version), {})
        place = (subject, epoch)
        tallies[place] = tallies.get(place, Tally()) + Tally(**{outcome: count})
    return found


def _item_averages(run: Run) -> dict[tuple[str, int], dict[int, Averages]]:
    """(Method, version) → subject → averages."""
    rows = (
        Score.objects.filter(run=run)
        .order_by()
        .values_list("method", "version", f"response__{SUBJECT}_id", "response__release_item")
        .annotate(right=Count("pk", filter=Q(is_correct=True)), asked=Count("pk"))
    )
    found: dict[tuple[str, int], dict[int, Averages]] = {}
    for method, version, subject, _item, right, asked in rows:
        subjects = found.setdefault((method, version), {})
        subjects.setdefault(subject, Counter())[right, asked] += 1
    return found


def _over_items(
    summary: Summary, averages: Mapping[str, Averages], categories: Mapping[str, str] | None
) -> Summary:
    """With intervals over items: the answers of several epochs to one item are not independent."""
    groups: dict[str, Averages] = defaultdict(Counter)
    overall: Averages = Counter()
    for slug in (one.subject for one in summary.subjects):  # averages, counted later, may know more
        overall += averages[slug]
        if categories:
            groups[categories[slug]] += averages[slug]
    return Summary(
        subjects=tuple(
            replace(one, accuracy_interval=averaged_interval(averages[one.subject]))
            for one in summary.subjects
        ),
        categories=tuple(_with(group, groups[group.name]) for group in summary.categories),
        overall=_with(summary.overall, overall),
    )


def _with(group: GroupMetrics, averages: Averages) -> GroupMetrics:
    interval: Interval = averaged_interval(averages)
    return replace(group, accuracy_interval=interval)


def _sum_counts(counts: Iterable[Mapping[int, int]]) -> dict[int, int]:
    total: Counter[int] = Counter()
    for some in counts:
        total.update(some)
    return dict(sorted(total.items()))
