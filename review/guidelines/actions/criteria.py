"""Changing what the reviewers of a project rate texts by."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.actions.audit import record
from projects.actions.criteria import criteria_from
from projects.criteria import Criteria, stored_criteria
from projects.locks import lock_project
from projects.models import Project
from review.enums import RoundState
from review.guidelines.actions.guidelines import create_guideline
from review.guidelines.queries import language_of_judges, translated_rubric
from review.models import Answer, Judgement


class CriteriaInUse(DomainError):
    code = "criteria_in_use"
    detail = _(
        "Texts have been rated by these criteria, so their number, order, short names and scales "
        "stay as they are. You can still change what they are called and what ratings mean. For "
        "other criteria, open a new project."
    )


class CriteriaOfOpenRound(DomainError):
    code = "criteria_of_open_round"
    detail = _(
        "Round %(number)s is open with these criteria. Discard it, change the criteria, and open "
        "it again."
    )


@transaction.atomic
def change_criteria(
    *,
    project: Project,
    rows: Sequence[Mapping[str, Any]],
    actor: User | None,
    now: datetime,
) -> None:
    """Give a project the criteria in `rows`, as `projects.actions.criteria.criteria_from` reads them.

    A guideline that says something else of the ratings gets a next version with the same text.
    Raises CriteriaInvalid and, where more than words would change, CriteriaInUse once a judgement
    was stored and CriteriaOfOpenRound while a round is open.
    """
    wanted = criteria_from(rows)
    # A round that is being opened holds the project's row until it is there.
    locked = lock_project(project.pk)
    if _shape(wanted) != _shape(locked.criteria):
        _refuse_if_used(locked)
    project.criteria_text = stored_criteria(wanted)
    project.save(update_fields=["criteria_text"])
    record(project, actor=actor, verb="project.criteria_changed", target=project, now=now)
    current = project.guidelines.order_by("-version").first()
    rubric = translated_rubric(wanted, language_of_judges(project))
    if current is not None and current.rubric != rubric:
        create_guideline(project=project, text=current.text, rubric=rubric, actor=actor, now=now)


def is_rated(project: Project) -> bool:
    """Whether a text of the project was ever rated, taken back or not."""
    given = (Judgement.all_rows, Answer.all_rows)
    return any(rows.filter(panel__round__project=project).exists() for rows in given)


def _refuse_if_used(project: Project) -> None:
    if is_rated(project):
        raise CriteriaInUse
    round_ = project.rounds.exclude(state=RoundState.CLOSED).first()
    if round_ is not None:
        raise CriteriaOfOpenRound(number=round_.number)


def _shape(criteria: Criteria) -> list[tuple[str, int, int]]:
    """What tallies, judgements and frozen figures depend on."""
    return [(each.name, each.lowest, each.highest) for each in criteria]
