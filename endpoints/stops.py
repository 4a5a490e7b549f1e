"""Why a batch of calls stopped, in words that every member of a project may read."""

import re
from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from endpoints.providers.base import CONTENT_FILTER, TOO_LONG

SAID_LENGTH = 300
HTTP_STATUS = re.compile(r"[1-5]\d\d(?= |$)")

# The keys are the codes of `endpoints.providers.base.EndpointError`.
ENDPOINT_FAULTS: Mapping[str, str | Promise] = {
    "endpoint-busy": _("it asked for fewer requests"),
    "endpoint-broken": _("it reported an internal error"),
    "endpoint-unreachable": _("it could not be reached, or did not answer in time"),
    "endpoint-garbled": _("its replies are not chat completions"),
    "endpoint-refused": _("it refused the requests"),
    "endpoint-locked": _("it does not accept the key"),
    "endpoint-forbids": _("it does not allow these requests"),
    "endpoint-knows-nothing": _("it does not know this address or this model"),
    "endpoint-inside": _(
        "its address is not public; an administrator can allow the network with"
        " LOTSAWA_ENDPOINT_NETWORKS"
    ),
    "endpoint-unpaid": _("the account has no quota or credit left"),
}
# The keys are the details of `EndpointGarbled`.
REPLY_FAULTS: Mapping[str, str | Promise] = {
    "empty": _("its reply is empty"),
    "web-page": _("its reply is a web page, not a chat completion"),
    "not-json": _("its reply is not JSON"),
    "nested": _("its reply is nested too deeply"),
    "no-choices": _("its reply is JSON, but has no “choices”"),
    "no-message": _("its reply has no “message” in the first of its “choices”"),
    "no-text": _("the content of its reply is not text"),
}
# Why a model gives no answer, however often it is asked.
MODEL_FAULTS: Mapping[str, str | Promise] = {
    TOO_LONG: _("the question is longer than the model can read"),
    CONTENT_FILTER: _("a content filter refused the question"),
}


def fault_text(error: str) -> str:
    """Put the stored error of a failed call into words, with its HTTP status if it has one."""
    code, _colon, detail = error.partition(": ")
    words = str(REPLY_FAULTS.get(detail) or ENDPOINT_FAULTS.get(code, error))
    status = HTTP_STATUS.match(detail)
    return f"{words} (HTTP {status.group()})" if status else words


class EndpointStopped(DomainError):
    """Work stopped because of its endpoint.

    Every member can read this error, so its text does not quote the endpoint, whose reply may
    contain a hidden question. `error` is that of the last call, as `fault_text` takes it. `said` is
    the beginning of the reply, for those who may read hidden items, and empty unless an
    administrator lets this endpoint be quoted.
    """

    def __str__(self) -> str:
        return str(self.detail) % {"fault": fault_text(self.params["error"])}


class EndpointFailing(EndpointStopped):
    code = "endpoint_failing"
    detail = _(
        "The endpoint failed many times in a row: %(fault)s. Its answers so far are kept. Resume"
        " the work when the endpoint works again."
    )


class EndpointAsksToWait(EndpointStopped):
    code = "endpoint_asks_to_wait"
    detail = _(
        "The endpoint asks for a long pause: %(fault)s. Its answers so far are kept. Resume the work"
        " later."
    )


class EndpointRefusesAll(EndpointStopped):
    code = "endpoint_refuses_all"
    detail = _(
        "The endpoint refused a request and would refuse every other: %(fault)s. Its answers so far"
        " are kept. Correct the endpoint or the model, or ask an administrator, then resume."
    )
