"""Starts the extraction audit of a run, draws its sample, and stores what people read."""

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.enums import ItemKind
from common.errors import DomainError
from evaluation.audits.queries import read_by_method
from evaluation.audits.readings import RIGHT, WRONG, letter_read, same_text
from evaluation.enums import Stratum
from evaluation.models import AuditedResponse, ExtractionAudit, ExtractionReading, Run, Score
from evaluation.request_building import KIND_OF_KEY, asked_item, script_letters
from evaluation.results.queries.figures import run_counts
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from languages.numerals import read_number
from projects.locks import lock_project
from scoring.scorers import SCORERS

AUDIT_KIND = "extraction-audit"
DOUBTFUL, AGREED, MOST = 100, 100, 2000
LONGEST = 40


class AuditInvalid(DomainError):
    code = "audit_invalid"
    detail = _("Choose from 1 to %(most)s responses of each sort.")
    status = 400


class AuditNotYet(DomainError):
    code = "audit_not_yet"
    detail = _("The run has to end and its answers have to be scored before people can read them.")


class AuditOfRotated(DomainError):
    code = "audit_of_rotated"
    detail = _(
        "People would see the options in another order than the model. Audit the run without rotation."
    )


class AuditThere(DomainError):
    code = "audit_there"
    detail = _("This run has an extraction audit already.")


class ReadBefore(DomainError):
    code = "read_before"
    detail = _("You have read this response already. A reading is not changed.")


class AnswerUnreadable(DomainError):
    code = "answer_unreadable"
    detail = _("Enter one of %(known)s, or choose “no answer”.")
    status = 400


class VerdictUnreadable(DomainError):
    code = "verdict_unreadable"
    detail = _("Say “right” or “wrong”: does the response agree with the reference?")
    status = 400


class NumberUnreadable(DomainError):
    code = "number_unreadable"
    detail = _("Enter one number, such as 12, -0.5 or 3/4, or choose “no answer”.")
    status = 400


@transaction.atomic
def start_audit(
    *, run: Run, doubtful: int, agreed: int, seed: int, actor: User | None, now: datetime
) -> ExtractionAudit:
    """Queue the drawing of the responses of `run` that people read.

    Writes the job, the audit and an audit row in one transaction, then wakes a worker. Raises
    AuditInvalid, AuditOfRotated, AuditNotYet, AuditThere.
    """
    if not (1 <= doubtful <= MOST and 1 <= agreed <= MOST):
        raise AuditInvalid(most=MOST)
    lock_project(run.release.project_id)
    jobs = Job.objects.filter(pk__in=filter(None, [run.job_id, run.scoring_job_id]))
    if run.rotation:
        raise AuditOfRotated
    if not all(job.has_ended for job in jobs) or not run.scores.exists():
        raise AuditNotYet
    if ExtractionAudit.objects.filter(run=run).exists():
        raise AuditThere
    job = create_job(
        kind=AUDIT_KIND, scope=run.release.project.slug, params={"run": run.pk},
        actor=actor, now=now,
    )  # fmt: skip
    try:
        with transaction.atomic():
            audit: ExtractionAudit = ExtractionAudit.objects.create(
                run=run, job=job, seed=seed, doubtful=doubtful, agreed=agreed
            )
    except IntegrityError as error:  # another caller was faster
        raise AuditThere from error
    return audit


def perform_audit(job: Job, progress: Progress) -> dict[str, Any]:
    """Do the work of the job; return {run, drawn}. An audit that has its sample keeps it."""
    audit = ExtractionAudit.objects.select_related("run").get(job=job)
    if not audit.populations:
        found = _by_stratum(audit.run, progress)
        rows = _draw(audit, found)
        populations: dict[str, dict[str, int]] = defaultdict(dict)
        for (kind, stratum), pks in sorted(found.items()):
            populations[kind][stratum] = len(pks)
        with transaction.atomic():
            open_ = ExtractionAudit.objects.filter(pk=audit.pk, populations={})
            if open_.update(populations=populations):
                AuditedResponse.objects.bulk_create(rows, batch_size=500)
    return {"run": audit.run_id, "drawn": AuditedResponse.objects.filter(audit=audit).count()}


def _by_stratum(run: Run, progress: Progress) -> dict[tuple[str, str], list[int]]:
    """Return the ids of the scored responses by kind of item and stratum, in ascending order."""
    counts = run_counts(run)
    kinds = {KIND_OF_KEY[SCORERS[method].key_kind] for method in counts.versions}
    progress.start(sum(n for (_subject, kind), n in counts.answered.items() if kind in kinds))
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    scored = groupby(_scores(run, counts.versions), key=itemgetter(0, 1))
    for done, ((response, kind), rows) in enumerate(scored, start=1):
        found[kind, _stratum({answer for _pk, _kind, answer in rows})].append(response)
        progress.advance_to(done)
    return found


def _scores(run: Run, versions: dict[str, int]) -> Iterator[tuple[int, str, str]]:
    used = Q()
    for method, version in versions.items():
        used |= Q(method=method, version=version)
    rows = Score.objects.filter(used, run=run).order_by("response", "method")
    columns = ("response", "response__release_item__kind", "letter", "is_valid", "is_correct")
    for response, kind, letter, is_valid, is_correct in rows.values_list(*columns).iterator():
        read = read_by_method(letter, kind, is_correct=is_correct)
        yield response, kind, read if is_valid else ""


def _stratum(answers: set[str]) -> Stratum:
    if answers == {""}:
        return Stratum.NONE
    return Stratum.AGREE if len(answers) == 1 else Stratum.DIFFER


def _draw(audit: ExtractionAudit, found: dict[tuple[str, str], list[int]]) -> list[AuditedResponse]:
    """Draw by the seed from each stratum, and mix them, so that readers cannot tell which is which."""
    generator = random.Random(audit.seed)
    drawn: list[tuple[int, str]] = []
    for (_kind, stratum), pks in sorted(found.items()):
        most = audit.agreed if stratum == Stratum.AGREE else audit.doubtful
        drawn += [(pk, stratum) for pk in generator.sample(pks, min(most, len(pks)))]
    generator.shuffle(drawn)
    return [
        AuditedResponse(audit=audit, response_id=pk, stratum=stratum, position=position)
        for position, (pk, stratum) in enumerate(drawn)
    ]


def store_reading(
    *, audited: AuditedResponse, answer: str | None, actor: User, now: datetime
) -> ExtractionReading:
    """Store what `actor` reads in a response; None for no answer, or more than one.

    Of a response to an open-ended item, it is RIGHT or WRONG. One reading for each (response,
    reader): sending the same again changes nothing. The item of the response must be loaded. Raises
    AnswerUnreadable, NumberUnreadable, VerdictUnreadable, ReadBefore.
    """
    text = _checked(audited, answer)
    try:
        with transaction.atomic():
            reading: ExtractionReading = ExtractionReading.objects.create(
                audited=audited, reader=actor, answer=text, read_at=now
            )
    except IntegrityError as error:
        reading = ExtractionReading.objects.get(audited=audited, reader=actor)
        is_number = audited.response.release_item.kind == ItemKind.NUMBER
        if same_text(reading.answer, is_number=is_number) != same_text(text, is_number=is_number):
            raise ReadBefore from error
    return reading


def _checked(audited: AuditedResponse, answer: str | None) -> str:
    placed = audited.response.release_item
    if placed.kind == ItemKind.OPEN:
        if answer not in {RIGHT, WRONG}:
            raise VerdictUnreadable
        return str(answer)
    if answer is None:
        return ""
    if placed.kind == ItemKind.NUMBER:
        if len(answer.strip()) > LONGEST or read_number(answer) is None:
            raise NumberUnreadable
        return answer.strip()
    letters = asked_item(placed, script_letters(audited.audit.run)).letters
    letter = letter_read(answer, letters)
    if letter is None:
        raise AnswerUnreadable(known=", ".join(letters.latin))
    return letter
