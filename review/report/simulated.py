"""Count what programs gave in place of people (`User.is_simulated`)."""

from collections.abc import Iterable

from accounts.models import User
from review.models import Answer, Judgement, Round


def simulated_judgements(rounds: Iterable[Round]) -> int:
    """How many judgements in force of these rounds programs gave.

    One query where there are no programs; the seats of the rounds lead to what they judged.
    """
    programs = list(User.objects.filter(is_simulated=True).values_list("pk", flat=True))
    if not programs:
        return 0
    rows = Judgement.objects.filter(
        assignment__round__in=list(rounds), assignment__reviewer__in=programs
    )
    count: int = rows.count()
    return count


def simulated_answers(round_: Round) -> int:
    """How many answers in force of a comparison or a solving round programs gave."""
    rows = Answer.objects.filter(panel__round=round_, reviewer__is_simulated=True)
    count: int = rows.count()
    return count
