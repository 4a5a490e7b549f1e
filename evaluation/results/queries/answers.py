"""How the answers of a run came out: how they ended, who gave them, and why some are missing."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from evaluation.enums import ResponseState, Says
from evaluation.models import ModelResponse, Run
from evaluation.queries import lasting_failures

Counted = tuple[tuple[str, int], ...]
"""Names with their counts, the most frequent first."""


@dataclass(frozen=True, slots=True)
class AnswerKinds:
    """Counts of a run's answers, and of the questions without one.

    finish_reasons: why the model ended, as the endpoint says; "" if it does not say
    models: the names that the endpoint answered under; "" if it does not say
    empty: answers with neither text nor reasoning
    only_reasoning: answers without text outside their reasoning
    faults: codes of failures of the model, which are answers without text
    failures: errors of the endpoint, whose questions are asked again
    """

    finish_reasons: Counted = ()
    models: Counted = ()
    empty: int = 0
    only_reasoning: int = 0
    faults: Counted = ()
    failures: Counted = ()

    def other_models(self, name: str) -> Counted:
        """Return the names besides `name`, the model that was asked for."""
        return tuple(each for each in self.models if each[0] not in {"", name})


def answer_kinds(run: Run) -> AnswerKinds:
    """Count the answers and failures of a run. Takes 2 queries."""
    answered = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED).order_by()
    columns = ("finish_reason", "endpoint_model", "error", "says")
    rows = answered.values_list(*columns).annotate(Count("pk"))
    reasons: Counter[str] = Counter()
    models: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for reason, model, fault, says, count in rows:
        said[says] += count
        if fault:
            faults[fault] += count
        else:
            reasons[reason] += count
            models[model] += count
    failed = lasting_failures(run).order_by().values_list("error").annotate(Count("pk"))
    return AnswerKinds(
        finish_reasons=_counted(reasons),
        models=_counted(models),
        empty=said[Says.NOTHING],
        only_reasoning=said[Says.REASONING],
        faults=_counted(faults),
        failures=_counted(Counter(dict(failed))),
    )


def _counted(counter: Counter[str]) -> Counted:
    return tuple(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))
