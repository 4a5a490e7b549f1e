"""What every response passes through that belongs to no app."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressPages(GZipMiddleware):
    """Compress pages, which reviewers load over slow lines at every item; leave files and the API as they are.

    The base class pads each answer by a random length, and the form token in a page is masked anew
    each time, so that the length of an answer tells nothing about what is in it (BREACH).
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if response.streaming or not response.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)
