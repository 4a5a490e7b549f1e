"""API addresses of webhooks under /api/v1/."""

from django.urls import path

from webhooks import api

_ONE = "projects/<slug:slug>/webhooks/<int:pk>"

urlpatterns = [
    path("projects/<slug:slug>/webhooks/", api.WebhookListView.as_view(), name="webhooks"),
    path(f"{_ONE}/", api.WebhookView.as_view(), name="webhook"),
    path(f"{_ONE}/secret/", api.SecretView.as_view(), name="webhook-secret"),
    path(f"{_ONE}/ping/", api.PingView.as_view(), name="webhook-ping"),
    path(f"{_ONE}/switch-on/", api.SwitchOnView.as_view(), name="webhook-switch-on"),
    path(f"{_ONE}/deliveries/", api.DeliveryListView.as_view(), name="webhook-deliveries"),
    path(f"{_ONE}/replay/", api.ReplayView.as_view(), name="webhook-replay"),
    path(
        f"{_ONE}/deliveries/<int:delivery>/again/", api.AgainView.as_view(), name="delivery-again"
    ),
]
