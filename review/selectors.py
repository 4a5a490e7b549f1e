"""How pages, the API and commands reach a round, a panel or a seat: within what a person may see."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.items.queries import current_revision
from annotation.items.revisions import RevisionStale
from annotation.models import Item, Revision
from common.db import bounded_pk
from common.errors import DomainError
from projects.enums import JUDGES, Role
from projects.models import Project
from projects.rules import role_in
from projects.selectors import check_right, project_for
from review.enums import PanelState, RoundKind, RoundState
from review.models import (
    Adjudication,
    Answer,
    Assignment,
    Comment,
    Inquiry,
    Judgement,
    Panel,
    Passage,
    Round,
    TextChoice,
)
from review.queries import seats_open_to
from review.talk import ThreadUnknown, with_panels

_JUDGED_OR_WRITTEN = _("You judged or wrote this text, so another senior must settle the dispute.")


class RoundUnknown(DomainError):
    code = "round_unknown"
    detail = _("There is no round %(number)s in this project.")
    status = 404


class RoundNotClosed(DomainError):
    code = "round_not_closed"
    detail = _(
        "Round %(number)s is not closed yet. Ask for figures as of a closed round, or of now."
    )


def get_round(project: Project, number: int) -> Round:
    """Return round `number` of the project. Raises RoundUnknown."""
    rows = Round.objects.select_related("guideline", "job")
    round_ = rows.filter(project=project, number=number).first()
    if round_ is None:
        raise RoundUnknown(number=number)
    round_.project = project
    return round_


def closed_round_number(project: Project, number: int | None) -> int | None:
    """The number of a closed round that a report is asked for as of; None asks for now.

    Raises RoundUnknown and RoundNotClosed.
    """
    if number is not None and get_round(project, number).state != RoundState.CLOSED:
        raise RoundNotClosed(number=number)
    return number


class ReviewerUnknown(DomainError):
    code = "reviewer_unknown"
    detail = _("Nobody with the e-mail address %(email)s has judged in this project.")
    status = 404


def reviewer_at(project: Project, email: str) -> User:
    """Who has judged in the project, by e-mail address in any case. Raises ReviewerUnknown."""
    person = User.objects.filter(email__iexact=email).first()
    judged = Judgement.all_rows.filter(reviewer=person, panel__round__in=project.rounds.all())
    if person is None or not judged.exists():
        raise ReviewerUnknown(email=email)
    return person


class NoResults(DomainError):
    code = "no_results"
    detail = _("Round %(number)s is a review. Its figures are in the report.")
    status = 404

    def __init__(self, round_: Round) -> None:
        self.way_on = reverse("review:report", args=[round_.project.slug]), _("Open the report")
        super().__init__(number=round_.number)


class ResultsNotYet(DomainError):
    code = "results_not_yet"
    detail = _(
        "Round %(number)s is still open. Its results are shown when it is closed, so that nobody "
        "answers with them in mind."
    )


class NoTextYet(DomainError):
    code = "no_text_yet"
    detail = _("This item has no translation yet. Import one first.")


def round_for(user: User, slug: str, number: int, permission: str) -> Round:
    """The round of a page, if `user` has `permission` in its project.

    Raises what `project_for` raises, and RoundUnknown.
    """
    return get_round(project_for(user, slug, permission), number)


def round_by_id(user: User, pk: int, permission: str) -> Round:
    """The round of an address of the API, if `user` has `permission` in its project.

    Raises Http404 to strangers, who should not learn that it exists, and PermissionDenied.
    """
    rows = Round.objects.select_related("project", "guideline", "job")
    round_ = get_object_or_404(rows, pk=pk)
    _refuse_strangers(user, round_.project)
    check_right(user, round_.project, permission)
    return round_


def round_to_judge(user: User, pk: int) -> Round:
    """The round in which `user` asks for a seat. Raises as `round_by_id` does."""
    round_ = get_object_or_404(Round.objects.select_related("project"), pk=pk)
    _refuse_strangers(user, round_.project)
    if not user.has_perm("review.claim_seat", round_):
        raise PermissionDenied
    return round_


def panel_by_id(user: User, pk: int) -> Panel:
    """A panel that `user` may settle. Raises as `round_by_id` does."""
    panel = get_object_or_404(_decided_panels(), pk=pk)
    _refuse_strangers(user, panel.round.project)
    return _to_settle(user, panel)


def dispute_by_id(user: User, pk: int, permission: str) -> Panel:
    """A panel that is decided, if `user` has `permission` in its project. Raises as `round_by_id`."""
    panel = get_object_or_404(_decided_panels(), pk=pk)
    _refuse_strangers(user, panel.round.project)
    check_right(user, panel.round.project, permission)
    return panel


def panel_for(user: User, slug: str, pk: int) -> Panel:
    """The panel of a page that `user` may settle. Raises what `project_for` raises."""
    project = project_for(user, slug, "review.view_disputes")
    rows = _decided_panels().filter(round__project=project)
    panel = get_object_or_404(rows, pk=pk)
    panel.round.project = panel.item.project = project
    return _to_settle(user, panel)


def revision_to_edit(item: Item, seen: int | None) -> Revision:
    """The current text of the item, which must be the revision that was `seen`, if one is named.

    Raises NoTextYet, RevisionStale.
    """
    revision = current_revision(item)
    if revision is None:
        raise NoTextYet
    if seen not in (None, revision.pk):
        raise RevisionStale
    return revision


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


def round_to_answer(user: User, pk: int) -> Round:
    """A round that compares or solves, in which `user` asks for a seat. Raises as `round_to_judge`."""
    round_ = round_to_judge(user, pk)
    if round_.kind == RoundKind.REVIEW:
        raise Http404
    return round_


def seat_to_answer(user: User, pk: int) -> Assignment:
    """A seat of a round that compares or solves, in a project where `user` judges."""
    return get_object_or_404(answer_seats(user), pk=pk)


def own_answer(user: User, pk: int) -> Answer:
    """An answer of `user`'s own in a project where they judge, withdrawn ones too."""
    rows = Answer.all_rows.filter(reviewer=user, assignment__in=answer_seats(user))
    return get_object_or_404(rows, pk=pk)


def answer_seats(user: User) -> QuerySet[Assignment]:
    """Seats of rounds that compare or solve, in projects where `user` judges."""
    rows = Assignment.objects.select_related("round__project").exclude(round__kind=RoundKind.REVIEW)
    return rows.filter(
        round__project__memberships__user=user, round__project__memberships__role__in=JUDGES
    )


def round_with_results(round_: Round) -> Round:
    """The round, if it compares or solves and is closed. Raises NoResults, ResultsNotYet."""
    if round_.kind == RoundKind.REVIEW:
        raise NoResults(round_)
    if round_.state != RoundState.CLOSED:
        raise ResultsNotYet(number=round_.number)
    return round_


def _decided_panels() -> QuerySet[Panel]:
    return Panel.objects.exclude(state=PanelState.JUDGING).select_related(
        "round__project",
        "round__guideline",
        "item__subject",
        "revision__translation__current_revision",
    )


def _to_settle(user: User, panel: Panel) -> Panel:
    if not user.has_perm("review.adjudicate_panel", panel):
        raise _refusal(user, panel)
    return panel


def _refusal(user: User, panel: Panel) -> PermissionDenied:
    """Why `user` may not settle or read a dispute, where another role would not help."""
    project = panel.round.project
    if role_in(user, project) != Role.SENIOR:
        return PermissionDenied()
    check_right(user, project, "review.view_disputes")  # while keys are hidden, waiting helps
    return PermissionDenied(str(_JUDGED_OR_WRITTEN))


def _refuse_strangers(user: User, project: Project) -> None:
    if not (user.is_superuser or role_in(user, project)):
        raise Http404


def panel_to_read(user: User, slug: str, pk: int) -> tuple[Panel, bool]:
    """The panel of a page that `user` may read, and whether they may settle it.

    Raises what `project_for` raises.
    """
    project = project_for(user, slug, "review.view_disputes")
    panel = get_object_or_404(_decided_panels().filter(round__project=project), pk=pk)
    panel.round.project = panel.item.project = project
    can_settle = user.has_perm("review.adjudicate_panel", panel)
    if not can_settle and not user.has_perm("review.read_dispute", panel):
        raise _refusal(user, panel)
    return panel, can_settle


def dispute_to_read(user: User, pk: int) -> Panel:
    """A panel of an address of the API that `user` may read. Raises as `round_by_id` does."""
    panel = get_object_or_404(_decided_panels(), pk=pk)
    _refuse_strangers(user, panel.round.project)
    if not user.has_perm("review.read_dispute", panel):
        raise _refusal(user, panel)
    return panel


def second_look_by_id(user: User, pk: int) -> Inquiry:
    """A second look that was asked of `user`; others do not learn that it exists."""
    rows = Inquiry.objects.select_related(
        "judgement__reviewer",
        "judgement__assignment",
        "panel__round__project",
        "panel__round__guideline",
        "panel__item__subject",
        "panel__revision__translation__current_revision",
    )
    inquiry = get_object_or_404(rows, pk=pk)
    if not user.has_perm("review.answer_second_look", inquiry):
        raise Http404
    return inquiry


def ruling_by_id(user: User, pk: int, permission: str) -> Adjudication:
    """A decision of an address of the API. Raises as `round_by_id` does."""
    rows = Adjudication.objects.select_related("panel__item", "panel__round__project")
    ruling = get_object_or_404(rows, pk=pk)
    _let_in(user, ruling.panel.round.project, permission)
    return ruling


def passage_by_id(user: User, pk: int, permission: str) -> Passage:
    """A passage of an address of the API. Raises as `round_by_id` does."""
    rows = Passage.objects.select_related(
        "adjudication__panel__item", "adjudication__panel__round__project"
    )
    passage = get_object_or_404(rows, pk=pk)
    _let_in(user, passage.adjudication.panel.round.project, permission)
    return passage


def _let_in(user: User, project: Project, permission: str) -> None:
    _refuse_strangers(user, project)
    check_right(user, project, permission)


def thread_of(project: Project, pk: int) -> Comment:
    """A comment of a project's items; that it begins a thread its actions find out."""
    rows = with_panels(Comment.objects.filter(item__project=project))
    comment = get_object_or_404(rows, pk=pk)
    comment.item.project = project
    return comment


def thread_on(item: Item, pk: int) -> Comment:
    """A comment on the item. Raises ThreadUnknown."""
    comment = with_panels(Comment.objects.filter(item=item)).filter(pk=pk).first()
    if comment is None:
        raise ThreadUnknown
    comment.item = item
    return comment


def choice_of(project: Project, pk: int) -> TextChoice:
    """A choice of texts in the project, by its number. Raises Http404."""
    rows = TextChoice.objects.select_related("project")
    found: TextChoice = get_object_or_404(rows, project=project, pk=bounded_pk(pk))
    return found
