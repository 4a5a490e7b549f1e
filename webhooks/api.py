"""The API of webhooks, for managers."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.pagination import ApiPagination, KeysetPagination
from projects.selectors import project_for
from webhooks.actions import managing
from webhooks.actions.managing import LONGEST, NewSecret
from webhooks.actions.queueing import replay, send_again
from webhooks.enums import CHOSEN, DeliveryState, EventName, WebhookState
from webhooks.models import Delivery, Webhook
from webhooks.queries import deliveries_of
from webhooks.selectors import CHANGE, delivery_for, webhook_for

CHOICES = [(str(name), name.label) for name in CHOSEN]


class EventsInput(StrictSerializer):
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=CHOICES), allow_empty=False, max_length=len(CHOSEN)
    )


class WebhookInput(EventsInput):
    url = serializers.CharField(max_length=LONGEST, help_text="Begins with https://.")


class WebhookSerializer(serializers.Serializer[Webhook]):
    id = serializers.IntegerField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=WebhookState.choices)
    previous_until = serializers.DateTimeField(
        allow_null=True, help_text="Until when messages are signed with the old secret too."
    )
    delivered_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class NewWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(help_text="Shown this once.")


class DeliverySerializer(serializers.Serializer[Delivery]):
    """`uid` is what receivers see as `webhook-id`."""

    id = serializers.IntegerField()
    uid = serializers.UUIDField()
    audit_event = serializers.IntegerField(source="event_id")
    event = serializers.ChoiceField(source="name", choices=EventName.choices)
    state = serializers.ChoiceField(choices=DeliveryState.choices)
    tries = serializers.IntegerField()
    due_at = serializers.DateTimeField()
    tried_at = serializers.DateTimeField(allow_null=True)
    delivered_at = serializers.DateTimeField(allow_null=True)
    status = serializers.IntegerField(allow_null=True)
    problem = serializers.CharField(help_text="Empty, or why the last try failed.")


class ReplayInput(StrictSerializer):
    since = serializers.DateTimeField()


class ReplayedSerializer(serializers.Serializer[Any]):
    deliveries = serializers.IntegerField()


class NewestFirst(KeysetPagination):
    order = ("-pk",)


class WebhookListView(generics.GenericAPIView[Webhook]):
    pagination_class = ApiPagination
    serializer_class = WebhookSerializer
    queryset = Webhook.objects.none()

    @extend_schema(responses={200: WebhookSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Where the project's events are sent."""
        project = project_for(caller(request), slug, CHANGE)
        page: Any = self.paginate_queryset(Webhook.objects.filter(project=project))
        return self.get_paginated_response(WebhookSerializer(page, many=True).data)

    @extend_schema(request=WebhookInput, responses={201: NewWebhookSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Add an address; the answer has its secret."""
        user = caller(request)
        project = project_for(user, slug, CHANGE)
        data = WebhookInput(data=request.data)
        data.is_valid(raise_exception=True)
        issued = managing.add_webhook(
            project=project, actor=user, now=timezone.now(), **data.validated_data
        )
        return Response(_with_secret(issued), status=status.HTTP_201_CREATED)


class WebhookView(APIView):
    @extend_schema(responses={200: WebhookSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One webhook."""
        return Response(WebhookSerializer(webhook_for(caller(request), slug, pk)).data)

    @extend_schema(request=EventsInput, responses={200: WebhookSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Choose other events."""
        user = caller(request)
        webhook = webhook_for(user, slug, pk)
        data = EventsInput(data=request.data)
        data.is_valid(raise_exception=True)
        managing.change_webhook(
            webhook=webhook, actor=user, now=timezone.now(), **data.validated_data
        )
        return Response(WebhookSerializer(webhook).data)

    @extend_schema(request=None, responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove it with the list of its deliveries."""
        user = caller(request)
        webhook = webhook_for(user, slug, pk)
        managing.remove_webhook(webhook=webhook, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class SecretView(APIView):
    @extend_schema(request=None, responses={200: NewWebhookSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make a new secret; for a day messages are signed with the old one too."""
        user = caller(request)
        webhook = webhook_for(user, slug, pk)
        issued = managing.rotate_secret(webhook=webhook, actor=user, now=timezone.now())
        return Response(_with_secret(issued))


class PingView(APIView):
    @extend_schema(request=None, responses={204: None, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Send a test within seconds."""
        user = caller(request)
        webhook = webhook_for(user, slug, pk)
        managing.ping_webhook(webhook=webhook, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class SwitchOnView(APIView):
    @extend_schema(request=None, responses={200: WebhookSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Use it again after it was switched off; what waited is sent."""
        user = caller(request)
        webhook = webhook_for(user, slug, pk)
        managing.switch_on(webhook=webhook, actor=user, now=timezone.now())
        return Response(WebhookSerializer(webhook).data)


class DeliveryListView(generics.ListAPIView[Delivery]):
    """What was sent or waits, newest first; kept for 30 days."""

    serializer_class = DeliverySerializer
    pagination_class = NewestFirst
    queryset = Delivery.objects.none()

    @extend_schema(responses={200: DeliverySerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        webhook = webhook_for(caller(self.request), self.kwargs["slug"], self.kwargs["pk"])
        return deliveries_of(webhook)


class ReplayView(APIView):
    @extend_schema(request=ReplayInput, responses={200: ReplayedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Send everything that happened since a moment again."""
        user = caller(request)
        webhook = webhook_for(user, slug, pk)
        data = ReplayInput(data=request.data)
        data.is_valid(raise_exception=True)
        count = replay(webhook=webhook, actor=user, now=timezone.now(), **data.validated_data)
        return Response({"deliveries": count})


class AgainView(APIView):
    @extend_schema(request=None, responses={204: None, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int, delivery: int) -> Response:
        """Send one delivery again, under the same id."""
        user = caller(request)
        row = delivery_for(user, slug, pk, delivery)
        send_again(delivery=row, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def _with_secret(issued: NewSecret) -> dict[str, Any]:
    return {**WebhookSerializer(issued.webhook).data, "secret": issued.secret}
