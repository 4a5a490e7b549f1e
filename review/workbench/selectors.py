"""How pages and the API reach a seat and a judgement: within what a person may see."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import User
from review.models import (
    Assignment,
    Judgement,
    Round,
)
from review.selectors import refuse_strangers
from review.workbench.queries import seats_open_to


def round_to_judge(user: User, pk: int) -> Round:
    """The round in which `user` asks for a seat. Raises as `round_by_id` does."""
    round_ = get_object_or_404(Round.objects.select_related("project"), pk=pk)
    refuse_strangers(user, round_.project)
    if not user.has_perm("review.claim_seat", round_):
        raise PermissionDenied
    return round_


def seat_by_id(user: User, pk: int) -> Assignment:
    """A seat in a project where `user` judges; that it is theirs its actions find out."""
    return get_object_or_404(seats_open_to(user).select_related("round__project"), pk=pk)


def own_judgement(user: User, pk: int) -> Judgement:
    """A judgement of `user`'s own in a project where they judge, withdrawn ones too."""
    return get_object_or_404(_own_judgements(user), pk=pk)


def judgement_with_key(user: User, key: str) -> Judgement | None:
    """What `user` sent with this key, if it has come; see `own_judgement`."""
    return _own_judgements(user).filter(idempotency_key=key).first()


def _own_judgements(user: User) -> QuerySet[Judgement]:
    return Judgement.all_rows.filter(reviewer=user, assignment__in=seats_open_to(user))
