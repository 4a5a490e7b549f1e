"""One person's answers in comparisons and solving rounds, and what became of them.

While a round is open only the person's own part is told. Once it is closed a comparison tells
whose the texts were and how many judges approved each, and a solving round whether the answer
agrees with the key, unless another solving round asks the person at the moment.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.utils.translation import gettext as _

from accounts.models import User
from common.batches import batched
from common.db import UtcMonth
from common.months import parse_month
from projects.criteria import Criteria, names_of
from projects.rules import may_see_keys
from review.enums import RoundKind, RoundState
from review.figures.labels import short_label
from review.models import Answer, ComparedText
from review.people.work import (
    MonthOfWork,
    WorkFilter,
    chosen_of,
    months_of_work,
    places_of,
    projects_worked_in,
)

COLUMNS = (
    "id",
    "project",
    "round",
    "kind",
    "item",
    "submitted_at",
    "choice",
    "key",
    "agrees",
    "texts",
    "comment",
    "active_seconds",
)
READ_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Votes:
    """How many of a panel's judges approved a text."""

    approvals: int
    judges: int


@dataclass(frozen=True, slots=True)
class TextCard:
    """What the person said of one text; `system` and `votes` once the round is closed."""

    number: int
    question: str
    is_approved: bool
    ratings: Sequence[tuple[str, int]]
    rank: int | None
    system: str
    votes: Votes | None


@dataclass(frozen=True, slots=True)
class AnswerCard:
    """One answer on the page; `agrees` is none before it may be told and for “I cannot say”."""

    answer: Answer
    is_solving: bool
    is_told: bool
    key: str
    agrees: bool | None
    texts: Sequence[TextCard]


AllVotes = Mapping[tuple[int, int], Votes]
"""Votes by panel and revision."""


def answers_by(user: User, wanted: WorkFilter) -> QuerySet[Answer]:
    """The answers of `user` that the filter shows, with all that their rows read.

    Only of projects whose items they may read now. An answer has no fate, so a filter by fate
    shows none.
    """
    rows = _answers(user, wanted).select_related("panel__round__project", "panel__item")
    return rows.prefetch_related("texts__revision__translation")


def months_of_all(user: User, wanted: WorkFilter) -> list[MonthOfWork]:
    """The months in which `user` judged or answered anything, the oldest first; two grouped queries.

    Active time is that of both.
    """
    months = {each.month: each for each in months_of_work(user, wanted)}
    rows: Any = (
        _answers(user, wanted)
        .annotate(month=UtcMonth("submitted_at"))
        .values("month")
        .annotate(n=Count("pk"), seconds=Sum("active_seconds"))
        .order_by("month")
    )
    for row in rows:
        month = parse_month(row["month"])
        judged = months.get(month) or MonthOfWork(month, 0, 0, 0, 0)
        seconds = judged.active_seconds + row["seconds"]
        months[month] = replace(judged, answers=row["n"], active_seconds=seconds)
    return [months[month] for month in sorted(months)]


def projects_of_work(user: User, *, asked: str = "") -> list[tuple[str, str]]:
    """(slug, name) of each project in which `user` judged or answered anything they may read now.

    The project `asked` for is one of them too, so that its members can ask before they begin.
    """
    has_answers = Q(project__rounds__panels__answers__reviewer=user)
    rows = places_of(user).filter(has_answers | Q(project__slug=asked))
    answered = rows.values_list("project__slug", "project__name").distinct()
    return sorted({*answered, *projects_worked_in(user)}, key=lambda pair: (pair[1], pair[0]))


def answer_cards(user: User, answers: Sequence[Answer]) -> list[AnswerCard]:
    """The cards of one page; one query beside that of the page."""
    votes = votes_on(answers)
    return [_card(user, each, votes) for each in answers]


def answer_work_rows(user: User, answers: QuerySet[Answer]) -> Iterator[dict[str, Any]]:
    """Every row for a download, oldest first."""
    for some in batched(answers.order_by("pk").iterator(READ_AT_ONCE), READ_AT_ONCE):
        for row in work_rows_of(user, some):
            submitted_at = row["submitted_at"].isoformat().replace("+00:00", "Z")
            yield row | {"submitted_at": submitted_at}


def work_rows_of(user: User, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Rows of `answers_by` as the API gives them."""
    return [_row(card) for card in answer_cards(user, answers)]


def votes_on(answers: Sequence[Answer]) -> AllVotes:
    """What all judges said of the texts in these answers; one grouped query, of closed rounds."""
    closed = [each.panel_id for each in answers if _is_closed(each)]
    if not closed:
        return {}
    rows = ComparedText.objects.filter(
        answer__panel__in=closed, answer__withdrawn_at__isnull=True
    ).order_by()
    counted = rows.values_list("answer__panel", "revision").annotate(
        n=Count("pk"), approvals=Count("pk", filter=Q(is_approved=True))
    )
    return {(panel, text): Votes(approvals, n) for panel, text, n, approvals in counted}


def _answers(user: User, wanted: WorkFilter) -> QuerySet[Answer]:
    if wanted.fate:
        none: QuerySet[Answer] = Answer.objects.none()
        return none
    return chosen_of(Answer.objects.all(), user, wanted)


def _is_closed(answer: Answer) -> bool:
    return bool(answer.panel.round.state == RoundState.CLOSED)


def _card(user: User, answer: Answer, votes: AllVotes) -> AnswerCard:
    round_, item = answer.panel.round, answer.panel.item
    is_solving = round_.kind == RoundKind.SOLVING
    is_told = _is_closed(answer) and not (is_solving and not may_see_keys(user, round_.project))
    is_compared = is_told and is_solving
    return AnswerCard(
        answer=answer,
        is_solving=is_solving,
        is_told=is_told,
        key=item.key if is_compared else "",
        agrees=answer.choice == item.key if is_compared and answer.choice else None,
        texts=_texts(answer, votes, round_.project.criteria, is_told=is_told),
    )


def _texts(answer: Answer, votes: AllVotes, criteria: Criteria, *, is_told: bool) -> list[TextCard]:
    """In the order in which the person read them; systems with the same text are one by one."""
    ordered = sorted(answer.texts.all(), key=lambda text: (text.place, text.pk))
    return [
        TextCard(
            number=text.place + 1,
            question=text.revision.question,
            is_approved=text.is_approved,
            ratings=[(short_label(each), text.ratings[each.name]) for each in criteria],
            rank=text.rank,
            system=text.revision.translation.system if is_told else "",
            votes=votes.get((answer.panel_id, text.revision_id)) if is_told else None,
        )
        for text in ordered
        if is_told or _is_first(text, ordered)
    ]


def _is_first(text: ComparedText, ordered: Sequence[ComparedText]) -> bool:
    """Whether it is the first in its place: how many systems wrote the same is told at the end."""
    return next(each for each in ordered if each.place == text.place) is text


def _row(card: AnswerCard) -> dict[str, Any]:
    answer, round_ = card.answer, card.answer.panel.round
    return {
        "id": answer.pk,
        "project": round_.project.slug,
        "round": round_.number,
        "kind": round_.kind,
        "item": answer.panel.item.uid,
        "submitted_at": answer.submitted_at,
        "choice": answer.choice,
        "key": card.key,
        "agrees": card.agrees,
        "texts": _text_rows(card),
        "comment": answer.comment,
        "active_seconds": answer.active_seconds,
    }


def _text_rows(card: AnswerCard) -> list[dict[str, Any]]:
    names = names_of(card.answer.panel.round.project.criteria)
    return [
        {
            "number": text.number,
            "is_approved": text.is_approved,
            "ratings": dict(zip(names, [value for _label, value in text.ratings], strict=True)),
            "rank": text.rank,
            "system": text.system,
            "approvals": text.votes.approvals if text.votes else None,
            "judges": text.votes.judges if text.votes else None,
        }
        for text in card.texts
    ]


def outcome_words(card: AnswerCard) -> str:
    """What became of an answer in a solving round, in words."""
    if not card.is_told:
        return _("shown when the round is closed")
    if card.agrees is None:
        return _("the key is %(key)s") % {"key": card.key}
    if card.agrees:
        return _("agrees with the key")
    return _("differs from the key, which is %(key)s") % {"key": card.key}
