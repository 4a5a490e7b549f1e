"""The search for the next free seat that a person may take: one statement, asked at every claim.

Written as SQL: building it with the ORM takes longer than the rest of a claim together. The state
is a literal so that both databases see that the index of open seats serves.
"""

from collections.abc import Sequence

from accounts.models import User
from review.models import Assignment, Round

CANDIDATES = 12

SEARCH = """
SELECT seat.id, seat.panel_id, seat.round_id, seat.position, seat.seat, seat.state
FROM review_assignment AS seat
JOIN review_panel AS panel ON panel.id = seat.panel_id
JOIN annotation_revision AS revision ON revision.id = panel.revision_id
JOIN annotation_item AS item ON item.id = panel.item_id
WHERE seat.round_id = %(round)s AND seat.state = 'open' AND seat.position > %(after)s
  AND item.state = 'active'
  AND (revision.author_id IS NULL OR revision.author_id <> %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM review_assignment AS own
                  WHERE own.panel_id = panel.id AND own.reviewer_id = %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM review_skip AS skip
                  WHERE skip.panel_id = panel.id AND skip.reviewer_id = %(reviewer)s)
"""
OF_SUBJECTS = " AND item.subject_id IN ({subjects})"
NOT_JUDGED_BEFORE = """
  AND NOT EXISTS (SELECT 1 FROM review_judgement AS judgement
                  JOIN review_panel AS earlier ON earlier.id = judgement.panel_id
                  WHERE earlier.item_id = panel.item_id AND earlier.round_id = %(previous)s
                    AND judgement.reviewer_id = %(reviewer)s)
"""
NOT_WRITTEN_WITH_OTHERS = """
  AND NOT EXISTS (SELECT 1 FROM review_judgement AS part
                  JOIN review_panel AS before ON before.id = part.panel_id
                  WHERE part.revision_id = revision.supersedes_id AND before.outcome = 'revised'
                    AND part.verdict = 'revise' AND part.reviewer_id = %(reviewer)s)
  AND NOT EXISTS (SELECT 1 FROM review_adjudication AS decision
                  JOIN review_judgement AS adopted ON adopted.id = decision.adopted_id
                  WHERE decision.resulting_revision_id = revision.id
                    AND adopted.reviewer_id = %(reviewer)s)
"""
THIS_SEAT = " AND seat.id = %(seat)s"
ORDER = " ORDER BY seat.position, seat.seat LIMIT %(limit)s"


class NextSeats:
    """Open seats of a round that `reviewer` may take, in the order in which they are offered.

    Left out are panels of excluded items, panels that the reviewer sits on, skipped or is the author of the text of,
    subjects outside `subjects` (none means all) and, unless the round allows it because there are
    too few others, items that they judged in the round before or whose text they wrote with
    others or by a correction that was adopted.
    """

    def __init__(self, round_: Round, reviewer: User, subjects: Sequence[int]) -> None:
        self.reviewer = reviewer
        self._values = {"round": round_.pk, "reviewer": reviewer.pk, "limit": CANDIDATES}
        self._statement = SEARCH
        if subjects:
            names = {f"subject_{index}": pk for index, pk in enumerate(subjects)}
            places = ", ".join(f"%({name})s" for name in names)
            self._statement += OF_SUBJECTS.format(subjects=places)
            self._values.update(names)
        if round_.number > 1 and not round_.is_same_panel_allowed:
            self._statement += NOT_JUDGED_BEFORE + NOT_WRITTEN_WITH_OTHERS
            self._values["previous"] = _previous_round(round_)

    def after(self, position: int) -> list[Assignment]:
        """The first few with a greater position."""
        values = {**self._values, "after": position}
        return list(Assignment.objects.raw(self._statement + ORDER, values))

    def offers(self, assignment: Assignment) -> bool:
        """Whether this very seat is open and one that the reviewer may take."""
        values = {**self._values, "after": 0, "seat": assignment.pk}
        return bool(list(Assignment.objects.raw(self._statement + THIS_SEAT + ORDER, values)))


def _previous_round(round_: Round) -> int:
    """The id of the round before; rounds of a project are numbered without gaps."""
    rows = Round.objects.filter(project_id=round_.project_id, number=round_.number - 1)
    return int(rows.values_list("pk", flat=True).get())
