"""What a dispute's questions to reviewers mean for queues and figures; nothing here writes."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import User
from projects.enums import JUDGES
from projects.models import Membership, Project
from review.enums import InquiryKind, InquiryState
from review.models import Inquiry, Judgement, Panel


def waits() -> Q:
    """Panels that wait for a second look or one more judgement."""
    return Q(Exists(Inquiry.objects.filter(panel=OuterRef("pk"), state=InquiryState.OPEN)))


def waiting_panels(project: Project) -> QuerySet[Inquiry, int]:
    """The ids of a project's panels that wait: few, so that a list of them begins here."""
    rows = Inquiry.objects.filter(panel__round__project=project, state=InquiryState.OPEN)
    return rows.order_by().values_list("panel", flat=True)


def first_judgements() -> QuerySet[Judgement]:
    """What everybody said before a senior asked them to look again, for figures about people.

    An answer to a senior's note is not independent of the others any more.
    """
    answered = Inquiry.objects.filter(
        kind=InquiryKind.SECOND_LOOK, state=InquiryState.ANSWERED
    ).order_by()
    asked = Q(pk__in=answered.values("judgement"))
    later = Q(pk__in=answered.values("answer"))
    rows: QuerySet[Judgement] = Judgement.all_rows.filter(
        Q(is_withdrawn=False) | asked, is_control=False
    )
    return rows.exclude(later)


def work_done() -> QuerySet[Judgement]:
    """Every judgement that was work: those in force, and those that a second look replaced."""
    replaced = Inquiry.objects.filter(judgement=OuterRef("pk"), state=InquiryState.ANSWERED)
    rows: QuerySet[Judgement] = Judgement.all_rows.filter(
        Q(is_withdrawn=False) | Q(Exists(replaced))
    )
    return rows


def inquiry_of(panel: Panel) -> Inquiry | None:
    """What a dispute waits for now."""
    rows = Inquiry.objects.filter(panel=panel, state=InquiryState.OPEN)
    return rows.select_related("seat").first()


def asked_of(user: User) -> QuerySet[Inquiry]:
    """The second looks that `user` is asked for and may give, the oldest first."""
    places = Membership.objects.filter(user=user, is_paused=False).in_role(*JUDGES)
    rows = Inquiry.objects.filter(
        reviewer=user, state=InquiryState.OPEN, panel__round__project__in=places.values("project")
    )
    return rows.select_related("panel__item", "panel__round__project").order_by("pk")


def looks_asked_of(user: User) -> dict[int, int]:
    """How many second looks `user` is asked for, by the project's id."""
    rows = asked_of(user).select_related(None).order_by()
    counted = rows.values_list("panel__round__project").annotate(n=Count("pk"))
    return dict(counted)


def answered_looks(panel: Panel) -> list[Inquiry]:
    """The second looks at a panel that were answered, in order, for who decides on it."""
    rows = Inquiry.objects.filter(
        panel=panel, kind=InquiryKind.SECOND_LOOK, state=InquiryState.ANSWERED
    )
    return list(rows.order_by("pk"))
