"""What a dispute's questions to reviewers mean for queues and figures; nothing here writes."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from review.enums import InquiryKind, InquiryState
from review.models import Inquiry, Judgement


def waits() -> Q:
    """Panels that wait for a second look or one more judgement."""
    return Q(Exists(Inquiry.objects.filter(panel=OuterRef("pk"), state=InquiryState.OPEN)))


def first_judgements() -> QuerySet[Judgement]:
    """What everybody said before a senior asked them to look again, for figures about people.

    An answer to a senior's note is not independent of the others any more.
    """
    answered = Inquiry.objects.filter(
        kind=InquiryKind.SECOND_LOOK, state=InquiryState.ANSWERED
    ).order_by()
    asked = Q(pk__in=answered.values("judgement"))
    later = Q(pk__in=answered.values("answer"))
    rows: QuerySet[Judgement] = Judgement.all_rows.filter(Q(is_withdrawn=False) | asked)
    return rows.exclude(later)
