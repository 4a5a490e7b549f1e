"""Says in words what an opinion says, or why there is none."""

from django.utils.translation import gettext

from annotation.enums import OpinionState
from annotation.models import Opinion
from annotation.screening.screens import fault_text
from endpoints.stops import MODEL_FAULTS
from endpoints.stops import fault_text as call_fault_text


def words_of(opinion: Opinion) -> str:
    """Return the reason that the model gives; of a failed opinion, why there is none."""
    if opinion.state != OpinionState.FAILED:
        return opinion.words
    data = opinion.data
    if error := str(data.get("fault", "")):
        data = {"fault": str(MODEL_FAULTS.get(error) or call_fault_text(error))}
    return fault_text(opinion.words, data, gettext)
