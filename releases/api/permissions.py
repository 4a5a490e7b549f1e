"""Who may ask for a release at all: everybody where it is shown to everybody, else who has an account."""

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from releases.selectors import find_for_everybody


class MayRead(BasePermission):
    """Without an account the answer is 401, whether the release exists or not."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.user and request.user.is_authenticated:
            return True
        return find_for_everybody(view.kwargs["project"], view.kwargs["version"]) is not None
