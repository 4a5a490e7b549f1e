"""The API of the caller's own wish to be named in the releases of a project."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from projects.actions.contributors import choose_own_name
from projects.api.views import valid
from projects.models import LONGEST_PRINTED, Contributor
from projects.queries import contributor_of
from projects.selectors import project_to_be_named_in


class ContributorInput(StrictSerializer):
    is_named = serializers.BooleanField()
    name = serializers.CharField(
        max_length=LONGEST_PRINTED,
        required=False,
        help_text="as it is to be printed; the name of the account if left out",
    )


class ContributorSerializer(serializers.Serializer[Any]):
    is_named = serializers.BooleanField()
    name = serializers.CharField(help_text="as it is printed; empty where you are not named")
    agreed_at = serializers.DateTimeField(allow_null=True)


class ContributorView(APIView):
    @extend_schema(responses={200: ContributorSerializer, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Whether releases of the project that are built from now on name you, and how."""
        user = caller(request)
        return _answer(contributor_of(user, project_to_be_named_in(user, slug)))

    @extend_schema(request=ContributorInput, responses={200: ContributorSerializer, **REFUSALS})
    def put(self, request: Request, slug: str) -> Response:
        """Decide it for yourself. Releases that are built already keep what they say."""
        user = caller(request)
        project = project_to_be_named_in(user, slug)
        wanted = valid(ContributorInput(data=request.data))
        name = wanted.get("name", user.name) if wanted["is_named"] else None
        own = choose_own_name(project=project, actor=user, name=name, now=timezone.now())
        return _answer(own)


def _answer(own: Contributor | None) -> Response:
    told = {
        "is_named": own is not None,
        "name": own.name if own else "",
        "agreed_at": own.agreed_at if own else None,
    }
    return Response(ContributorSerializer(told).data)
