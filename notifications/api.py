"""The API of one's own notifications."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actions import choose_digest
from accounts.api.views import caller
from accounts.enums import DigestChoice
from common.api import ErrorSerializer, IdField, StrictSerializer
from common.pagination import KeysetPagination
from notifications.actions.reading import mark_all_read, mark_read
from notifications.enums import Kind
from notifications.models import Notification
from notifications.presenters import ShownNotification, present
from notifications.queries import notifications_for, shown

REFUSALS = {400: ErrorSerializer, 401: ErrorSerializer}


class NotificationSerializer(serializers.Serializer[ShownNotification]):
    id = serializers.IntegerField(source="pk")
    kind = serializers.ChoiceField(choices=Kind.choices)
    text = serializers.CharField()
    project = serializers.CharField(help_text="Its name.")
    link = serializers.CharField(help_text="A path within the site.")
    at = serializers.DateTimeField()
    is_read = serializers.BooleanField()


class NewestFirst(KeysetPagination):
    order = ("-created_at", "-pk")

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        rows = super().paginate_queryset(queryset, request, view)
        return [present(row) for row in shown(rows)]


class ReadInput(StrictSerializer):
    """Which to mark; all of them without `ids`."""

    ids = serializers.ListField(
        child=IdField(),
        required=False,
        max_length=1000,
    )


class DigestSerializer(StrictSerializer):
    digest = serializers.ChoiceField(choices=DigestChoice.choices)


class NotificationListView(generics.ListAPIView[Any]):
    """What you were told, newest first."""

    serializer_class = NotificationSerializer
    pagination_class = NewestFirst
    queryset = Notification.objects.none()

    @extend_schema(responses={200: NotificationSerializer(many=True), 401: ErrorSerializer})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        return notifications_for(caller(self.request))


class ReadView(APIView):
    @extend_schema(request=ReadInput, responses={204: None, **REFUSALS})
    def post(self, request: Request) -> Response:
        """Mark notifications as read."""
        given = ReadInput(data=request.data)
        given.is_valid(raise_exception=True)
        user, now = caller(request), timezone.now()
        if "ids" in given.validated_data:
            mark_read(user=user, ids=given.validated_data["ids"], now=now)
        else:
            mark_all_read(user=user, now=now)
        return Response(status=status.HTTP_204_NO_CONTENT)


class DigestView(APIView):
    @extend_schema(responses={200: DigestSerializer, **REFUSALS})
    def get(self, request: Request) -> Response:
        """How often you get your unread notifications by e-mail."""
        return Response({"digest": caller(request).digest})

    @extend_schema(request=DigestSerializer, responses={200: DigestSerializer, **REFUSALS})
    def put(self, request: Request) -> Response:
        """Choose how often."""
        given = DigestSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        user = caller(request)
        choose_digest(user=user, actor=user, now=timezone.now(), **given.validated_data)
        return Response({"digest": user.digest})
