"""What is left to read in an audit, how far readers agree, and how well each method reads."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.enums import ItemKind
from common.estimates import Estimate
from evaluation.audits.accuracy import Accuracy, StratumCount, stratified_accuracy
from evaluation.audits.readings import ENOUGH, RIGHT, WRONG, same_text, settled
from evaluation.enums import Stratum
from evaluation.models import AuditedResponse, ExtractionAudit, ExtractionReading, Run, Score
from evaluation.request_building import KIND_OF_KEY
from evaluation.results.queries.figures import run_counts
from releases.enums import Subset
from review.figures.agreement import Record, fleiss_kappa, table_from_records
from scoring.scorers import SCORERS

KEEP_SECONDS = 30 * 24 * 3600
EXPORT_COLUMNS = (
    "response", "uid", "epoch", "stratum", "population", "readings", "agreed", "methods",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MethodAccuracy:
    """How often a method reads what people agree on, estimated for all responses of its items.

    read: responses that people agree on; right: those that the method reads alike
    strata: the same by stratum
    accuracy: None while a stratum has no such response
    """

    method: str
    version: int
    read: int
    right: int
    strata: Mapping[str, StratumCount]
    accuracy: Accuracy | None


@dataclass(frozen=True, slots=True)
class AuditFigures:
    """drawn: responses in the sample; read: those that enough people read; settled: those on whose
    answer they agree; kappa: Fleiss' of the first two readings of each response. Programs gave
    `simulated` of the readings, not people.
    """

    drawn: int
    read: int
    settled: int
    readings: int
    readers: int
    same: int
    kappa: Estimate
    methods: tuple[MethodAccuracy, ...]
    simulated: int = 0


@dataclass(frozen=True, slots=True)
class AuditedAnswers:
    """A response of the sample with what people and methods read, as texts that equal answers share."""

    pk: int
    response: int
    uid: str
    epoch: int
    kind: str
    stratum: str
    people: tuple[tuple[int, str], ...]
    methods: Mapping[str, str]

    @property
    def agreed(self) -> str | None:
        return settled([answer for _reader, answer in self.people])


def audit_of(run: Run) -> ExtractionAudit | None:
    """Return the audit of a run, with its job; None if there is none."""
    audit = ExtractionAudit.objects.select_related("job").filter(run=run).first()
    if audit is not None:
        audit.run = run
    return audit


def readable(audit: ExtractionAudit, user: User) -> QuerySet[AuditedResponse]:
    """Return the responses of the sample whose items `user` may see."""
    rows = AuditedResponse.objects.filter(audit=audit)
    if user.has_perm("evaluation.view_hidden_figures", audit.run.release.project):
        return rows
    return rows.exclude(response__release_item__subset=Subset.BLACK_BOX)


def left_for(audit: ExtractionAudit, user: User) -> QuerySet[AuditedResponse]:
    """Return the responses that `user` may still read, in the order in which people get them.

    A response needs two readers; a third where those two differ.
    """
    mine = ExtractionReading.objects.filter(audited=OuterRef("pk"), reader=user)
    counted = readable(audit, user).filter(~Exists(mine)).annotate(
        read=Count("readings"), low=Min("readings__answer"), high=Max("readings__answer")
    )  # fmt: skip
    wanted = Q(read__lt=ENOUGH) | (Q(read=ENOUGH) & ~Q(low=F("high")))
    return counted.filter(wanted).order_by("position")


def next_for(audit: ExtractionAudit, user: User) -> AuditedResponse | None:
    """Return the next response for `user` with what its page shows; None if there is none."""
    return with_texts(left_for(audit, user)).first()


def with_texts(rows: QuerySet[AuditedResponse]) -> QuerySet[AuditedResponse]:
    return rows.select_related("response__release_item__revision", "audit")


def audit_figures(audit: ExtractionAudit) -> AuditFigures:
    """Return the figures of an audit, from the cache if nobody has read anything since."""
    versions = run_counts(audit.run).versions
    last = ExtractionReading.objects.filter(audited__audit=audit).aggregate(Max("pk"))["pk__max"]
    used = ",".join(f"{name}={version}" for name, version in sorted(versions.items()))
    key = f"extraction-audit-2:{audit.pk}:{audit.job_id}:{bool(audit.populations)}:{last}:{used}"
    found: AuditFigures | None = cache.get(key)
    if found is None:
        found = _figures(audit, list(audited_answers(audit)), versions)
        cache.set(key, found, KEEP_SECONDS)
    return found


def method_accuracies(run: Run) -> dict[str, MethodAccuracy]:
    """Return the accuracy of each method that the run's audit knows, by its name."""
    audit = audit_of(run)
    if audit is None:
        return {}
    known = [each for each in audit_figures(audit).methods if each.accuracy is not None]
    return {each.method: each for each in known}


def audited_answers(audit: ExtractionAudit) -> Iterator[AuditedAnswers]:
    """Yield the responses of the sample in their order; takes 3 queries."""
    versions = run_counts(audit.run).versions
    of_audit = AuditedResponse.objects.filter(audit=audit)
    kinds = dict(of_audit.values_list("response", "response__release_item__kind"))
    people: dict[int, list[tuple[int, str]]] = defaultdict(list)
    rows = ExtractionReading.objects.filter(audited__audit=audit).order_by("pk")
    for response, reader, answer in rows.values_list("audited__response", "reader", "answer"):
        is_number = kinds[response] == ItemKind.NUMBER
        people[response].append((reader, same_text(answer, is_number=is_number)))
    methods: dict[int, dict[str, str]] = defaultdict(dict)
    scores = Score.objects.filter(response__in=of_audit.values("response"))
    for response, method, version, letter, is_correct in scores.values_list(
        "response", "method", "version", "letter", "is_correct"
    ):
        if versions.get(method) == version:
            read = read_by_method(letter, kinds[response], is_correct=is_correct)
            methods[response][method] = read
    names = ("pk", "response", "response__release_item__uid", "response__epoch", "stratum")
    for pk, response, uid, epoch, stratum in of_audit.order_by("position").values_list(*names):
        yield AuditedAnswers(
            pk, response, uid, epoch, kinds[response], stratum,
            tuple(people[response]), methods[response],
        )  # fmt: skip


def export_rows(audit: ExtractionAudit) -> Iterator[dict[str, Any]]:
    """Yield a row for each response of the sample; readers have numbers instead of names.

    A program that read in place of a person is named as one: "program 2".
    """
    numbers: dict[int, int] = {}
    programs = set(_readings_of_programs(audit).values_list("reader", flat=True))
    for each in audited_answers(audit):
        for reader, _answer in each.people:
            numbers.setdefault(reader, len(numbers) + 1)
        yield {
            "response": each.response,
            "uid": each.uid,
            "epoch": each.epoch,
            "stratum": each.stratum,
            "population": audit.populations[each.kind][each.stratum],
            "readings": {
                f"{'program' if reader in programs else 'reader'} {numbers[reader]}": answer
                for reader, answer in each.people
            },
            "agreed": each.agreed,
            "methods": dict(each.methods),
        }


def read_by_method(letter: str, kind: str, *, is_correct: bool) -> str:
    """Return what a method read, in the form in which people read an item of this kind."""
    if kind == ItemKind.OPEN:
        return RIGHT if is_correct else WRONG
    return same_text(letter, is_number=kind == ItemKind.NUMBER)


def _figures(
    audit: ExtractionAudit, answers: Sequence[AuditedAnswers], versions: Mapping[str, int]
) -> AuditFigures:
    pairs = [(each, each.people[:ENOUGH]) for each in answers if len(each.people) >= ENOUGH]
    records = [
        Record(str(each.pk), str(number), answer)
        for each, people in pairs
        for number, (_reader, answer) in enumerate(people)
    ]
    table = table_from_records(records)
    counts, weights = (table.counts, table.weights) if records else ([[0]], [1])
    return AuditFigures(
        drawn=len(answers),
        read=len(pairs),
        settled=sum(each.agreed is not None for each in answers),
        readings=sum(len(each.people) for each in answers),
        readers=len({reader for each in answers for reader, _answer in each.people}),
        same=sum(len({answer for _reader, answer in people}) == 1 for _each, people in pairs),
        kappa=fleiss_kappa(counts, weights, panel_size=ENOUGH),
        methods=tuple(
            _accuracy(name, versions[name], audit, answers) for name in SCORERS if name in versions
        ),
        simulated=_readings_of_programs(audit).count(),
    )


def _readings_of_programs(audit: ExtractionAudit) -> QuerySet[ExtractionReading]:
    return ExtractionReading.objects.filter(audited__audit=audit, reader__is_simulated=True)


def _accuracy(
    method: str, version: int, audit: ExtractionAudit, answers: Sequence[AuditedAnswers]
) -> MethodAccuracy:
    read: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for each in answers:
        if each.agreed is not None and method in each.methods:
            read[each.stratum] += 1
            right[each.stratum] += each.methods[method] == each.agreed
    populations = audit.populations.get(KIND_OF_KEY[SCORERS[method].key_kind], {})
    strata = {
        stratum.value: StratumCount(populations.get(stratum, 0), read[stratum], right[stratum])
        for stratum in Stratum
    }
    accuracy = stratified_accuracy(strata.values())
    return MethodAccuracy(method, version, read.total(), right.total(), strata, accuracy)


def audit_json(run: Run) -> dict[str, Any] | None:
    """Return the figures of the run's audit as JSON values; None if there is none."""
    audit = audit_of(run)
    return None if audit is None else figures_json(audit_figures(audit))


def figures_json(figures: AuditFigures) -> dict[str, Any]:
    """Return the figures as JSON values, for the API and the commands."""
    return {
        "drawn": figures.drawn,
        "read": figures.read,
        "settled": figures.settled,
        "readings": figures.readings,
        "readers": figures.readers,
        "same": figures.same,
        "kappa": figures.kappa.as_json(),
        "methods": {each.method: _method_json(each) for each in figures.methods},
        **({"simulated_readings": figures.simulated} if figures.simulated else {}),
    }


def _method_json(each: MethodAccuracy) -> dict[str, Any]:
    found = each.accuracy
    return {
        "version": each.version,
        "read": each.read,
        "right": each.right,
        "accuracy": found.share if found else None,
        "low": found.interval.low if found else None,
        "high": found.interval.high if found else None,
        "strata": {stratum: asdict(count) for stratum, count in each.strata.items()},
    }
