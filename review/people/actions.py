"""Closing a statement of work: from then on it stays as it is."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from common.months import Month
from projects.locks import lock_project
from projects.models import Project
from review.models import (
    Answer,
    Judgement,
    StatedAnswer,
    StatedJudgement,
    WorkStatement,
    WorkStatementLine,
)
from review.people.statements import OpenWork, first_open, last_closed, open_lines, open_work

ROWS_AT_ONCE = 2_000


class StatementClosed(DomainError):
    code = "statement_closed"
    detail = _("The statement of %(month)s is closed. Later judgements go to the next month.")


class MonthNotOver(DomainError):
    code = "month_not_over"
    detail = _("%(month)s is not over. Its statement can be closed from %(first)s on (UTC).")


class EarlierMonthOpen(DomainError):
    code = "earlier_month_open"
    detail = _("Close the statement of %(first)s first. Months are closed in order.")


class StatementEmpty(DomainError):
    code = "statement_empty"
    detail = _("Nobody judged anything in %(month)s, so there is nothing to close.")


@transaction.atomic
def close_statement(
    *, project: Project, month: Month, actor: User | None, now: datetime
) -> WorkStatement:
    """Freeze who judged how much in `month`, with the rates of that month.

    In one transaction: the statement, a row for each judgement and each answer that it counts, a line for each
    person, the audit event. A judgement that is stored later, or was not visible yet, is late and
    counts in the next statement. The lock on the project keeps two managers from closing at once.
    Raises StatementClosed, EarlierMonthOpen, MonthNotOver, StatementEmpty.
    """
    lock_project(project.pk)
    _check_order(project, month)
    if now < month.end:
        raise MonthNotOver(month=month, first=month.end.date())
    work = open_work(project, month)
    counted = list(work.judgements.values_list("pk", flat=True))
    answers = list(work.answers.values_list("pk", flat=True))
    if not counted and not answers:
        raise StatementEmpty(month=month)
    statement = _new_statement(project, month, actor, now)
    StatedJudgement.objects.bulk_create(
        (StatedJudgement(judgement_id=pk, statement=statement) for pk in counted), ROWS_AT_ONCE
    )
    StatedAnswer.objects.bulk_create(
        (StatedAnswer(answer_id=pk, statement=statement) for pk in answers), ROWS_AT_ONCE
    )
    lines = _store_lines(statement, project, month)
    record_event(
        actor=actor,
        verb="work_statement.closed",
        target=f"work_statement:{statement.pk}",
        scope=project.slug,
        data={"month": str(month), "judgements": len(counted) + len(answers), "people": lines},
        now=now,
    )
    return statement


def _check_order(project: Project, month: Month) -> None:
    closed = last_closed(project)
    if closed and month <= closed:
        raise StatementClosed(month=month)
    first = first_open(project, closed)
    if first and first < month:
        raise EarlierMonthOpen(first=first)


def _new_statement(
    project: Project, month: Month, actor: User | None, now: datetime
) -> WorkStatement:
    try:
        with transaction.atomic():
            return WorkStatement.objects.create(
                project=project, month=month.start.date(), closed_by=actor, closed_at=now
            )
    except IntegrityError as error:
        raise StatementClosed(month=month) from error


def _store_lines(statement: WorkStatement, project: Project, month: Month) -> int:
    """Store a line for each person, and return how many there are."""
    # Only what is counted: more may have been judged since it was read.
    work = OpenWork(
        Judgement.all_rows.filter(stated__statement=statement),
        Answer.objects.filter(stated__statement=statement),
    )
    lines = WorkStatementLine.objects.bulk_create(
        WorkStatementLine(
            statement=statement,
            person_id=line.person,
            name=line.name,
            email=line.email,
            judgements=line.judgements,
            late_judgements=line.late_judgements,
            active_seconds=line.active_seconds,
            hourly=line.hourly,
            currency=line.currency,
            amount=line.amount,
        )
        for line in open_lines(project, month, work)
    )
    return len(lines)
