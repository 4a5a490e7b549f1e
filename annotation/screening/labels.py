"""Says in words what an opinion says, or why there is none."""

from annotation.asking.queries import reason_text
from annotation.enums import OpinionState
from annotation.models import Opinion


def words_of(opinion: Opinion) -> str:
    """Return the reason that the model gives; of a failed opinion, why there is none."""
    is_failed = opinion.state == OpinionState.FAILED
    return reason_text(opinion.words, opinion.data) if is_failed else opinion.words
