"""Finds the answers of a run that two methods read differently, and the headline method."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from evaluation.models import Run, Score
from scoring.scorers import GRADED_METHODS, SCORERS


@dataclass(frozen=True, slots=True)
class Difference:
    """Answers in which `method` found something else than `headline`, or nothing.

    right: how many of them are right according to `method`
    headline_right: how many of them are right according to `headline`
    """

    method: str
    headline: str
    answers: int
    right: int
    headline_right: int


def methods_of(run: Run) -> list[str]:
    """Return the methods of a run in the order of its page; the first is the headline method.

    That of translations is not among them: it calls no answer right.
    """
    return [name for name in GRADED_METHODS if name in run.methods]


def differences_from(run: Run, versions: Mapping[str, int]) -> tuple[Difference, ...]:
    """Compare each other method with the headline method, with one query for each.

    `versions` maps methods to the versions to compare. Answers that one of the two methods has not
    scored are left out, and so are methods without any difference.
    """
    methods = methods_of(run)
    if not methods or methods[0] not in versions:
        return ()
    return tuple(_differences(run, methods[0], methods[1:], versions))


def differing_scores(
    run: Run, method: str, other: str, versions: Mapping[str, int]
) -> QuerySet[Score]:
    """Return the scores by `method` of answers in which `other` found something else.

    Texts and verdicts have no spelling in common: of these, scores differ if one alone is right.
    """
    theirs = _scores(run, other, versions).filter(response=OuterRef("response"))
    compared = "is_correct" if SCORERS[method].key_kind == "text" else "letter"
    others = theirs.exclude(**{compared: OuterRef(compared)})
    return _scores(run, method, versions).filter(Exists(others))


def _differences(
    run: Run, headline: str, others: list[str], versions: Mapping[str, int]
) -> Iterator[Difference]:
    for method in others:
        if method not in versions:
            continue
        headline_right = _scores(run, headline, versions).filter(
            response=OuterRef("response"), is_correct=True
        )
        found = differing_scores(run, method, headline, versions).aggregate(
            answers=Count("pk"),
            right=Count("pk", filter=Q(is_correct=True)),
            headline_right=Count("pk", filter=Exists(headline_right)),
        )
        if found["answers"]:
            yield Difference(method, headline, **found)


def _scores(run: Run, method: str, versions: Mapping[str, int]) -> QuerySet[Score]:
    return Score.objects.filter(run=run, method=method, version=versions[method])
