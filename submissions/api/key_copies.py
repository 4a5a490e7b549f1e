"""The API of copies of hidden keys, for a project's managers."""

from random import SystemRandom
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS, REFUSALS, StrictSerializer
from common.api_exports import file_answer, file_responses
from releases.selectors import release_for
from submissions.actions.key_copies import MOST_FALSE, create_key_copy
from submissions.api.sending import NewestSubmissionPagination
from submissions.models import KeyCopy
from submissions.presenters import key_copy_file, key_copy_json, key_copy_name
from submissions.queries import key_copies
from submissions.selectors import key_copy_for

COPY = "submissions.copy_keys"


class KeyCopySerializer(serializers.Serializer[Any]):
    """A copy of the hidden keys of a release; which of them are false is told nowhere."""

    copy = serializers.IntegerField()
    recipient = serializers.CharField()
    false_keys = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()


class KeyCopyInput(StrictSerializer):
    recipient = serializers.CharField(max_length=1000)
    false_count = serializers.IntegerField(required=False, max_value=MOST_FALSE)


@extend_schema(responses={200: KeyCopySerializer(many=True), **READ_REFUSALS})
class KeyCopyListView(ListAPIView[KeyCopy]):
    """The copies of the hidden keys of a release, the newest first."""

    pagination_class = NewestSubmissionPagination
    serializer_class = KeyCopySerializer

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        release = release_for(caller(request), kwargs["project"], kwargs["version"], COPY)
        rows = self.paginate_queryset(key_copies(release)) or []
        return self.get_paginated_response([key_copy_json(row) for row in rows])

    @extend_schema(request=KeyCopyInput, responses={201: KeyCopySerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Create a copy of the hidden keys for `recipient`, in which `false_count` keys are false.

        Without it there are as many as the page proposes: a third of the items, 20 at most.
        """
        user = caller(request)
        release = release_for(user, project, version, COPY)
        data = KeyCopyInput(data=request.data)
        data.is_valid(raise_exception=True)
        found = create_key_copy(
            release=release,
            **data.validated_data,
            random=SystemRandom(),
            actor=user,
            now=timezone.now(),
        )
        return Response(key_copy_json(found), status=status.HTTP_201_CREATED)


class KeyCopyFileView(APIView):
    @extend_schema(responses={**file_responses(["application/json"]), **READ_REFUSALS})
    def get(
        self, request: Request, project: str, version: str, number: int
    ) -> StreamingHttpResponse:
        """The file of a copy: {project, version, copy, recipient, note, keys: {id: key}}."""
        release = release_for(caller(request), project, version, COPY)
        copy = key_copy_for(release, number)
        content = [key_copy_file(copy)]
        return file_answer(content, name=key_copy_name(copy), media_type="application/json")
