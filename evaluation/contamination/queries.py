"""What a Min-k % test has still to ask, what was answered, and what that amounts to."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from endpoints.budgets import price_of
from endpoints.connections import address_of
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest, request_hash
from evaluation.enums import ResponseState
from evaluation.models import MinKCall, MinKTest, MinKText, Run
from review.figures.stages import LEAST_ITEMS
from scoring.min_k import PERCENTS, MinKComparison, compare_min_k

FEWEST_OF_SUBJECT: Final = LEAST_ITEMS
"""Fewer pairs say nothing of a subject, and would tell the value of a single hidden item."""
SUBJECT_PERCENT: Final = 20


@dataclass(frozen=True, slots=True)
class Measured:
    """A text of a test; `uid` and `subject` are empty for a text that a person gave.

    tokens: those with a log-probability; values: Min-k % for each of PERCENTS, none if the answer
        says no probabilities, or there is none
    """

    pair: int
    is_control: bool
    uid: str
    subject: str
    tokens: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class OfSubject:
    """The measured pairs of a subject, by SUBJECT_PERCENT; no comparison below FEWEST_OF_SUBJECT."""

    subject: str
    pairs: int
    comparison: MinKComparison | None


@dataclass(frozen=True, slots=True)
class MinKFigures:
    """texts: items and controls; answered: those with an answer; unreadable: with one that says nothing.

    calls: answers that this test bought; unmeasured: those of them without a count of tokens
    price: of these, in US dollars, None if it is not known
    comparisons: for each of PERCENTS; empty until a pair is answered
    subjects: those of the measured items, by name
    """

    texts: int
    answered: int
    unreadable: int
    calls: int
    unmeasured: int
    price: Decimal | None
    comparisons: dict[int, MinKComparison]
    subjects: tuple[OfSubject, ...]


def text_request(spec: ModelSpec, text: str) -> ChatRequest:
    """Return the question how probable a text is by itself."""
    return ChatRequest(spec.model, (), continuations=(text,))


def text_hash(spec: ModelSpec, text: str) -> str:
    return request_hash(address_of(spec.endpoint), text_request(spec, text))


def min_k_of(run: Run) -> MinKTest | None:
    """Return the test of a run with its job and control; None if there is none."""
    rows = MinKTest.objects.select_related("job", "control__project")
    test = rows.filter(run=run).first()
    if test is not None:
        test.run = run
    return test


def stored_answers(test: MinKTest) -> QuerySet[MinKCall]:
    """Return all answers of the project: equal texts are asked once."""
    project = test.run.release.project_id
    return MinKCall.objects.filter(
        test__run__release__project=project, state=ResponseState.ANSWERED
    )


def unanswered(test: MinKTest) -> QuerySet[MinKText]:
    """Return the texts of a test without an answer, with what they are made of."""
    there = stored_answers(test).filter(request_hash=OuterRef("request_hash"))
    rows = MinKText.objects.filter(~Exists(there), test=test).order_by("pk")
    return rows.select_related("placed__revision")


def measured_texts(test: MinKTest) -> list[Measured]:
    """Return all texts, each item before its control. Takes 2 queries."""
    hashes = MinKText.objects.filter(test=test).values("request_hash")
    answers = stored_answers(test).filter(request_hash__in=hashes)
    found = {
        key: (count, tuple(values))
        for key, count, values in answers.values_list("request_hash", "token_count", "values")
    }
    rows = MinKText.objects.filter(test=test).order_by("pair", "is_control")
    return [
        Measured(pair, is_control, uid or "", subject or "", *found.get(key, (0, ())))
        for pair, is_control, uid, subject, key in rows.values_list(
            "pair", "is_control", "placed__uid", "placed__subject__name", "request_hash"
        )
    ]


def min_k_figures(test: MinKTest) -> MinKFigures:
    silent = Q(prompt_tokens=None) | Q(completion_tokens=None)
    bought = test.calls.filter(state=ResponseState.ANSWERED).aggregate(
        calls=Count("pk"),
        unmeasured=Count("pk", filter=silent),
        prompt=Sum("prompt_tokens", default=0),
        completion=Sum("completion_tokens", default=0),
    )
    price = price_of(test.run.model_spec, bought.pop("prompt"), bought.pop("completion"))
    texts = measured_texts(test)
    answered = len(texts) - unanswered(test).count()
    return MinKFigures(
        texts=len(texts),
        answered=answered,
        unreadable=answered - sum(bool(each.values) for each in texts),
        price=None if bought["unmeasured"] else price,
        comparisons=_comparisons(_measured_pairs(texts)),
        subjects=_of_subjects(_measured_pairs(texts)),
        **bought,
    )


def _measured_pairs(texts: Sequence[Measured]) -> list[tuple[Measured, Measured]]:
    """Return each item with its control where both are measured."""
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return [(item, control) for item, control in pairs if item.values and control.values]


def _comparisons(pairs: Sequence[tuple[Measured, Measured]]) -> dict[int, MinKComparison]:
    if not pairs:
        return {}
    values = np.array([[each.values for each in pair] for pair in pairs], dtype=np.float64)
    return {
        percent: compare_min_k(values[:, 0, place], values[:, 1, place])
        for place, percent in enumerate(PERCENTS)
    }


def _of_subjects(pairs: Sequence[tuple[Measured, Measured]]) -> tuple[OfSubject, ...]:
    by_subject: dict[str, list[tuple[Measured, Measured]]] = defaultdict(list)
    for pair in pairs:
        by_subject[pair[0].subject].append(pair)
    return tuple(
        OfSubject(
            subject,
            len(own),
            _comparisons(own)[SUBJECT_PERCENT] if len(own) >= FEWEST_OF_SUBJECT else None,
        )
        for subject, own in sorted(by_subject.items())
    )
