"""The results of a run, from grouped counts, with a fixed number of queries that return few rows."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Max, Q, QuerySet

from annotation.enums import ItemKind, SplitName
from common.db import JsonLength
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, Score
from evaluation.queries import is_asked, lasting_failures
from evaluation.request_building import KIND_OF_KEY
from evaluation.results.queries.answers import AnswerKinds, Counted, answer_kinds
from evaluation.results.queries.differences import Difference, differences_from, methods_of
from evaluation.results.queries.usage import Usage, usage_of
from evaluation.translation.queries import VERSION, answers_counted, has_translations
from releases.models import ReleaseItem, ReleaseSubject
from scoring.batch import MethodMetrics
from scoring.metrics import Outcome, Tally, random_baseline, summarise, summarise_epochs
from scoring.result_files import ScoreReport
from scoring.scorers import SCORERS, TRANSLATION

KEEP_SECONDS = 30 * 24 * 3600
SUBJECT = "release_item__subject"
RepeatCounts = Counter[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RunSubject:
    """A subject of the run and the state of its questions; a question is (item, epoch).

    failed: questions that the endpoint did not answer, which count neither as right nor as wrong
    option_counts: option count → number of test items; empty for items that a number answers
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
    def baseline(self) -> float | None:
        """None where nobody can guess at random: the answers are numbers."""
        return random_baseline(self.option_counts) if self.option_counts else None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many answers of a run a method has scored, in the version that its figures use.

    answers: the answers to items of the kind that the method scores
    version: the version that the figures use; None if the method has not scored anything
    newest_version: the current version of the method
    """

    method: str
    answers: int
    version: int | None
    read: int
    newest_version: int
    newest_read: int

    @property
    def is_complete(self) -> bool:
        """Whether the figures include every answer, as scored by the newest version."""
        return self.version == self.newest_version and self.read >= self.answers

    @property
    def unread(self) -> int:
        """The number of answers that the figures leave out."""
        return max(0, self.answers - self.read)


@dataclass(frozen=True, slots=True)
class RunResults:
    """The results of a run so far; rates are between 0 and 1, subjects are named by slug.

    left_out: test items that the run does not ask, because none of its methods scores them
    subjects: those with items that have options, which the other figures are about
    numbers: those with items that a number answers, which only a method for numbers scores
    texts: those with open-ended items, which only a method for texts scores
    translations: those with items that ask for a translation, which BLEU and chrF++ are about
    without_category: slugs of subjects without a category, if other subjects have one; results by
        category would leave them out, so there are none
    methods: the methods that have scored any answer, the headline method first
    coverage: how much each method of the run has scored
    causes: how many answers are not right for each kind of error, by method
    differences: how many answers each other method reads differently from the headline method
    kinds: how the answers came out
    usage: what was asked for, what an earlier run had answered, and the tokens of what was asked
    is_published: whether reasoning was removed as the published scorer does
    asked_model: the model's name at the endpoint; empty if another program asked it
    """

    model: str
    asked_model: str
    epochs: int
    item_count: int
    left_out: int
    answered: int
    failed: int
    baseline: float | None
    subjects: tuple[RunSubject, ...]
    numbers: tuple[RunSubject, ...]
    texts: tuple[RunSubject, ...]
    translations: tuple[RunSubject, ...]
    without_category: tuple[str, ...]
    methods: tuple[MethodMetrics, ...]
    coverage: tuple[Coverage, ...]
    causes: Mapping[str, Mapping[str, int]]
    differences: tuple[Difference, ...]
    kinds: AnswerKinds
    usage: Usage
    is_published: bool

    @property
    def is_all_empty(self) -> bool:
        """Whether there are answers, and none has any text outside its reasoning."""
        without = self.kinds.empty + self.kinds.only_reasoning
        return self.answered > 0 and without == self.answered

    @property
    def other_models(self) -> Counted:
        """The names that answered instead of the model that was asked for."""
        return self.kinds.other_models(self.asked_model) if self.asked_model else ()

    @property
    def gaps(self) -> tuple[Coverage, ...]:
        """The methods whose figures leave out answers, or use an old version of the method."""
        return tuple(one for one in self.coverage if not one.is_complete)

    @property
    def question_count(self) -> int:
        return self.item_count * self.epochs

    def subjects_of(self, method: str) -> tuple[RunSubject, ...]:
        """The subjects whose items a method scores."""
        by_key = {
            "option": self.subjects,
            "number": self.numbers,
            "text": self.texts,
            "translation": self.translations,
        }
        return by_key[SCORERS[method].key_kind]

    @property
    def report(self) -> ScoreReport:
        """The report for the published files."""
        counts = _sum_counts(subject.option_counts for subject in self.subjects)
        return ScoreReport(
            self.model, self.answered, counts, self.baseline or 0.0, self.methods, self.is_published
        )


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Counts of the rows of a run by subject id, as plain values for the cache.

    options: (subject, kind of item) → option count → test items
    left_out: test items that the run does not ask
    answered, failed: (subject, kind of item) → questions
    read: method → version → number of scored answers
    outcomes: method → (subject, epoch) → tally, in the version that the figures use
    repeats: method → subject → (times right, times answered) → items; empty with one epoch
    causes: method → kind of error → answers; the kind is empty in scores from before it was kept
    """

    options: dict[tuple[int, str], dict[int, int]]
    left_out: int
    answered: dict[tuple[int, str], int]
    failed: dict[tuple[int, str], int]
    read: dict[str, dict[int, int]]
    outcomes: dict[str, dict[tuple[int, int], Tally]]
    repeats: dict[str, dict[int, RepeatCounts]]
    causes: dict[str, dict[str, int]]
    differences: tuple[Difference, ...]
    kinds: AnswerKinds
    usage: Usage

    @property
    def versions(self) -> dict[str, int]:
        """Method → the version that the figures use."""
        return {method: counted_version(read) for method, read in self.read.items()}


def counted_version(read: Mapping[int, int]) -> int:
    """Return the version that figures use: the newest of those that scored the most answers.

    `read` maps versions to numbers of scored answers. Figures use one version only, so that a new
    version that has scored a few answers neither hides an older one that has scored them all nor
    is mixed with it.
    """
    return max(read, key=lambda version: (read[version], version))


def run_results(run: Run) -> RunResults:
    """Return the results for the run's page, its files and the API.

    Takes 3 queries, and 2 more for a run that asks for translations. If there are new rows, it takes
    8 more, another one with several epochs, and another one for each method besides the headline
    method.
    """
    counts = run_counts(run)
    rows = ReleaseSubject.objects.filter(
        pk__in={subject for subject, _kind in counts.options}
    ).order_by("slug")
    found = list(rows)
    subjects = tuple(_subjects(counts, found, ItemKind.CHOICE))
    numbers = tuple(_subjects(counts, found, ItemKind.NUMBER))
    texts = tuple(_subjects(counts, found, ItemKind.OPEN))
    translations = tuple(_subjects(counts, found, ItemKind.TRANSLATION))
    categories, without = _categories((*subjects, *numbers, *texts))
    asked = (*subjects, *numbers, *texts, *translations)
    options = _sum_counts(subject.option_counts for subject in subjects)
    return RunResults(
        model=run.model_spec.name,
        asked_model="" if run.imported_from else run.model_spec.model,
        epochs=run.epochs,
        item_count=sum(subject.item_count for subject in asked),
        left_out=counts.left_out,
        answered=sum(counts.answered.values()),
        failed=sum(counts.failed.values()),
        baseline=random_baseline(options) if options else None,
        subjects=subjects,
        numbers=numbers,
        texts=texts,
        translations=translations,
        without_category=without,
        methods=tuple(_methods(run, counts, found, categories)),
        coverage=tuple(_coverage(run, counts)),
        causes=counts.causes,
        differences=counts.differences,
        kinds=counts.kinds,
        usage=counts.usage,
        is_published=run.is_published,
    )


def run_counts(run: Run) -> RunCounts:
    """Return the current counts of the run, from the cache if possible.

    Responses and scores are never changed or deleted, so their newest ids identify a state of the
    run, and cached counts never become outdated.
    """
    response = ModelResponse.objects.filter(run=run).aggregate(Max("pk"))["pk__max"]
    score = Score.objects.filter(run=run).aggregate(Max("pk"))["pk__max"]
    key = f"run-counts-10:{run.pk}:{run.started_at.timestamp()}:{response}:{score}"
    found: RunCounts | None = cache.get(key)
    if found is None:
        found = _count(run)
        cache.set(key, found, KEEP_SECONDS)
    return found


def _count(run: Run) -> RunCounts:
    answered = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED)
    outcomes = _outcome_counts(run)
    read: dict[str, dict[int, int]] = {}
    for (method, version), tallies in outcomes.items():
        read.setdefault(method, {})[version] = sum(tally.n for tally in tallies.values())
    versions = {method: counted_version(found) for method, found in read.items()}
    repeats = _repeat_counts(run, versions) if run.epochs > 1 else {}
    options, left_out = _options(run)
    return RunCounts(
        options=options,
        left_out=left_out,
        answered=_by_subject(answered),
        failed=_by_subject(lasting_failures(run)),
        read=read,
        outcomes={method: outcomes[method, version] for method, version in versions.items()},
        repeats=repeats,
        causes=_causes(run, versions),
        differences=differences_from(run, versions),
        kinds=answer_kinds(run),
        usage=usage_of(run),
    )


def _options(run: Run) -> tuple[dict[tuple[int, str], dict[int, int]], int]:
    """Return the asked items by subject, kind and option count, and the number of those left out."""
    tests = ReleaseItem.objects.filter(release=run.release_id, split=SplitName.TEST)
    asked = tests.filter(is_asked(run.methods))
    rows = (
        asked.order_by()
        .annotate(option_count=JsonLength("revision__options"))
        .values_list("subject_id", "kind", "option_count")
        .annotate(Count("pk"))
    )
    found: dict[tuple[int, str], dict[int, int]] = {}
    for subject, kind, option_count, items in rows:
        found.setdefault((subject, kind), {})[option_count] = items
    asked_count = sum(sum(counts.values()) for counts in found.values())
    return found, tests.count() - asked_count


def _by_subject(responses: QuerySet[ModelResponse]) -> dict[tuple[int, str], int]:
    places = responses.order_by().values_list(f"{SUBJECT}_id", "release_item__kind")
    return {(subject, kind): count for subject, kind, count in places.annotate(Count("pk"))}


def _subjects(
    counts: RunCounts, rows: Iterable[ReleaseSubject], kind: ItemKind
) -> Iterable[RunSubject]:
    """The subjects that have items of a kind, with the counts of these."""
    for subject in rows:
        of_kind = counts.options.get((subject.pk, kind), {})
        if of_kind:
            yield RunSubject(
                pk=subject.pk,
                slug=subject.slug,
                name=subject.name,
                category=subject.category,
                item_count=sum(of_kind.values()),
                answered=counts.answered.get((subject.pk, kind), 0),
                failed=counts.failed.get((subject.pk, kind), 0),
                option_counts=of_kind if kind == ItemKind.CHOICE else {},
            )


def _categories(
    subjects: tuple[RunSubject, ...],
) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    """Return the category of each slug, or None if some have none, and the slugs without one."""
    categories = {subject.slug: subject.category for subject in subjects if subject.category}
    without = tuple(dict.fromkeys(each.slug for each in subjects if not each.category))
    if not categories:
        return None, ()
    return (None if without else categories), without


def _methods(
    run: Run,
    counts: RunCounts,
    subjects: Iterable[ReleaseSubject],
    categories: Mapping[str, str] | None,
) -> Iterable[MethodMetrics]:
    slugs = {subject.pk: subject.slug for subject in subjects}
    versions = counts.versions
    for method in methods_of(run):
        if method not in counts.outcomes:
            continue
        by_subject: dict[str, Tally] = {}
        by_epoch: dict[int, Tally] = {}
        for (pk, epoch), tally in counts.outcomes[method].items():
            by_subject[slugs[pk]] = by_subject.get(slugs[pk], Tally()) + tally
            by_epoch[epoch] = by_epoch.get(epoch, Tally()) + tally
        repeats = {slugs[pk]: some for pk, some in counts.repeats.get(method, {}).items()}
        summary = summarise(
            by_subject,
            {slug: categories[slug] for slug in by_subject} if categories else None,
            repeats=repeats if run.epochs > 1 else None,
        )
        accuracies = [by_epoch[epoch].rates.accuracy for epoch in sorted(by_epoch)]
        version = str(versions[method])
        yield MethodMetrics(SCORERS[method], version, summary, summarise_epochs(accuracies))


def _coverage(run: Run, counts: RunCounts) -> Iterable[Coverage]:
    versions = counts.versions
    for method in methods_of(run):
        kind = KIND_OF_KEY[SCORERS[method].key_kind]
        answers = sum(n for (_pk, of), n in counts.answered.items() if of == kind)
        if not answers and any(counts.answered.values()):
            continue  # the release has no items for this method
        read, newest = counts.read.get(method, {}), int(SCORERS[method].version)
        version = versions.get(method)
        yield Coverage(
            method=method,
            answers=answers,
            version=version,
            read=0 if version is None else read[version],
            newest_version=newest,
            newest_read=read.get(newest, 0),
        )
    if has_translations(run):
        yield _coverage_of_translations(run)


def _coverage_of_translations(run: Run) -> Coverage:
    answers, counted = answers_counted(run)
    return Coverage(
        method=TRANSLATION,
        answers=answers,
        version=VERSION if counted else None,
        read=counted,
        newest_version=VERSION,
        newest_read=counted,
    )


def _outcome_counts(run: Run) -> dict[tuple[str, int], dict[tuple[int, int], Tally]]:
    """Return a tally for each (method, version) and (subject, epoch)."""
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


def _causes(run: Run, versions: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return the number of answers that are not right by method and kind of error."""
    rows = Score.objects.filter(run=run, is_correct=False).order_by()
    found: dict[str, dict[str, int]] = {method: {} for method in versions}
    for method, version, cause, count in rows.values_list("method", "version", "cause").annotate(
        Count("pk")
    ):
        if versions.get(method) == version:
            found[method][cause] = count
    return found


def _repeat_counts(run: Run, versions: Mapping[str, int]) -> dict[str, dict[int, RepeatCounts]]:
    """Return the number of items by method, subject and (times right, times answered)."""
    rows = (
        Score.objects.filter(run=run)
        .order_by()
        .values_list("method", "version", f"response__{SUBJECT}_id", "response__release_item")
        .annotate(right=Count("pk", filter=Q(is_correct=True)), asked=Count("pk"))
    )
    found: dict[str, dict[int, RepeatCounts]] = {}
    for method, version, subject, _item, right, asked in rows:
        if (
            versions.get(method) == version
        ):  # a method that was added after the first count has to wait
            subjects = found.setdefault(method, {})
            subjects.setdefault(subject, Counter())[right, asked] += 1
    return found


def _sum_counts(counts: Iterable[Mapping[int, int]]) -> dict[int, int]:
    total: Counter[int] = Counter()
    for some in counts:
        total.update(some)
    return dict(sorted(total.items()))
