"""Who may judge, adjudicate and see what others said."""

from collections.abc import Sequence

import rules
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from projects.enums import JUDGES, TEXT_ROLES
from projects.models import Project
from projects.rules import (
    can_read_items,
    has_role,
    is_manager,
    is_member,
    is_senior,
    leads_with_keys,
    may_see_keys,
    role_in,
)
from projects.solving import is_asked_by
from review.audience import Audience
from review.eligibility import (
    WAS_ADOPTED,
    WROTE_THE_TEXT,
    WROTE_WITH_OTHERS,
    is_barred,
    members_at_work,
    working_seniors,
)
from review.enums import PanelState
from review.models import (
    Answer,
    Assignment,
    Inquiry,
    Judgement,
    Panel,
    Round,
    Substitute,
)

can_judge_in_project = has_role(*JUDGES)


@rules.predicate
def can_judge_in_round(user: User, round_: Round | None) -> bool:
    return round_ is not None and bool(can_judge_in_project(user, round_.project))


@rules.predicate
def holds_seat(user: User, assignment: Assignment | None) -> bool:
    """Both must be there: an open seat has no reviewer, and an anonymous user has no id."""
    if assignment is None or not (user.is_authenticated and user.is_active):
        return False
    return assignment.reviewer_id == user.pk


@rules.predicate
def can_adjudicate_panel(user: User, panel: Panel | None) -> bool:
    """Seniors and who was named in their place, but never on what they judged or wrote.

    Disputes show keys, so they wait while an open solving round asks the person.
    """
    if panel is None or not (is_senior(user, panel.round.project) or _is_substitute(user, panel)):
        return False
    if not may_see_keys(user, panel.round.project):
        return False
    return not Panel.objects.filter(own_panels(user), pk=panel.pk).exists()


@rules.predicate
def is_asked_again(user: User, inquiry: Inquiry | None) -> bool:
    """Whether the second look is asked of `user`, who still judges in the project."""
    if inquiry is None or inquiry.reviewer_id is None or inquiry.reviewer_id != user.pk:
        return False
    project = inquiry.panel.round.project
    return bool(can_judge_in_project(user, project) and may_see_keys(user, project))


@rules.predicate
def is_substitute_in(user: User, project: Project | None) -> bool:
    """Whether a dispute of the project waits for `user`, who is no senior, or was settled by them.

    What they settled they can take back, and the queue is where they come when they are done.
    """
    if project is None or role_in(user, project) not in TEXT_ROLES:
        return False
    settled = Q(adjudication__senior=user) | Q(key_adjudication__senior=user)
    rows = Panel.objects.filter(Q(state=PanelState.DISPUTED) | settled, round__project=project)
    return rows.filter(is_substitute_for(user, project)).exists()


@rules.predicate
def manages_panel(user: User, panel: Panel | None) -> bool:
    """Managers read every dispute, and settle none."""
    return panel is not None and bool(is_manager(user, panel.round.project))


def _is_substitute(user: User, panel: Panel) -> bool:
    if role_in(user, panel.round.project) not in TEXT_ROLES:
        return False
    rows = Panel.objects.filter(is_substitute_for(user, panel.round.project), pk=panel.pk)
    return rows.exists()


def is_substitute_for(user: User, project: Project) -> Q:
    """Return the condition on panels of the project that a manager named `user` for.

    That is for the dispute itself, or for its whole round and no senior may settle it.
    """
    named = Q(Exists(Substitute.objects.filter(panel=OuterRef("pk"), user=user)))
    if not Round.objects.filter(project=project, substitute=user).exists():
        return named
    return named | Q(round__substitute=user) & no_senior_may_settle(project)


def no_senior_may_settle(project: Project) -> Q:
    """Return the condition on panels that every working senior judged, answered or wrote."""
    found = Q()
    for senior in working_seniors(project):
        found &= own_panels(senior)
    return found


def standing_substitutes(project: Project) -> list[User]:
    """Return who was named for a whole round and is at work on texts."""
    named = Round.objects.filter(project=project, substitute__isnull=False).values("substitute")
    members = members_at_work(project).filter(role__in=TEXT_ROLES).filter(user__in=named)
    return [member.user for member in members]


def own_panels(user: User) -> Q:
    """Return the condition on panels that `user` judged or answered, or whose text they wrote.

    They wrote it as its author, as one of several reviewers who gave the same correction, or in a
    correction that a senior adopted.
    """
    judged = Judgement.objects.filter(panel=OuterRef("pk"), reviewer=user)
    answered = Answer.objects.filter(panel=OuterRef("pk"), reviewer=user)
    wrote = is_barred((WROTE_THE_TEXT, WROTE_WITH_OTHERS, WAS_ADOPTED), user, panel="")
    return wrote | Q(Exists(judged)) | Q(Exists(answered))


def is_asked(audience: Audience, *, user: int, role: str, languages: Sequence[str]) -> bool:
    """Whether a round with this audience asks a member; its languages must all be listed."""
    return is_asked_by(audience.as_json(), user=user, role=role, languages=languages)


rules.add_perm("review.view_rounds", is_member)
rules.add_perm("review.practise", can_judge_in_project | is_manager)
rules.add_perm("review.view_report", is_member)
rules.add_perm("review.view_reviewers", is_manager)
rules.add_perm("review.estimate_reliability", is_manager)
rules.add_perm("review.open_round", is_manager)
rules.add_perm("review.pause_round", is_manager)
rules.add_perm("review.change_round", is_manager)
rules.add_perm("review.close_round", is_manager)
rules.add_perm("review.discard_round", is_manager)
rules.add_perm("review.choose_translation", leads_with_keys)
rules.add_perm("review.export_answers", is_manager)
rules.add_perm("review.change_guideline", is_manager)
rules.add_perm("review.claim_seat", can_judge_in_round)
rules.add_perm("review.submit_judgement", holds_seat)
rules.add_perm("review.release_seat", holds_seat)
rules.add_perm("review.view_statements", is_manager)
rules.add_perm("review.close_statement", is_manager)
rules.add_perm("review.view_disputes", leads_with_keys | (is_substitute_in & may_see_keys))
rules.add_perm("review.adjudicate_disputes", is_senior & may_see_keys)
rules.add_perm("review.name_substitute", is_manager)
rules.add_perm("review.adjudicate_panel", can_adjudicate_panel)
rules.add_perm("review.read_dispute", can_adjudicate_panel | manages_panel)
rules.add_perm("review.answer_second_look", is_asked_again)
rules.add_perm("review.propose_passage", leads_with_keys)
rules.add_perm("review.comment", can_read_items)
