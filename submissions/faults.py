"""Why a team's endpoint ended its submission: a code that holds nothing the endpoint said, and words."""

from django.utils.translation import gettext as _

from endpoints.providers.base import EndpointInside, EndpointUnreachable
from endpoints.stops import ENDPOINT_FAULTS, HTTP_STATUS, REPLY_FAULTS, fault_text

NO_ANSWERS = "no-answers"
TOO_SLOW = "too-slow"
CONTACT_FAILED = "contact-failed"


def fault_of(error: str) -> str:
    """Return the code of an endpoint's error, with its HTTP status if it has one, and nothing else.

    A name that leads inside and one that leads nowhere are the same, so that nobody can look up
    names of the network with it.
    """
    code, _colon, detail = error.partition(": ")
    if code not in ENDPOINT_FAULTS:
        return NO_ANSWERS
    if code in {EndpointInside.code, EndpointUnreachable.code}:
        return EndpointUnreachable.code
    if detail in REPLY_FAULTS:
        return f"{code}: {detail}"
    status = HTTP_STATUS.match(detail)
    return f"{code}: {status.group()}" if status else code


def words_of(fault: str) -> str:
    """Put a code of `fault_of` into the words that a team reads."""
    if fault == NO_ANSWERS:
        return _("it gave no answer at all")
    if fault == TOO_SLOW:
        return _("it was too slow: it did not answer all questions in six hours")
    if fault == CONTACT_FAILED:
        return _(
            "it answered the questions of the first contact no better than guessing, so it was asked "
            "no others; a manager of the benchmark can lift this for your team"
        )
    if fault == EndpointUnreachable.code:
        return _("it could not be reached at a public address, or did not answer in time")
    return fault_text(fault)
