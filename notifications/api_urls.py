"""API addresses of `notifications` under /api/v1/."""

from django.urls import path

from notifications import api

urlpatterns = [
    path("me/notifications/", api.NotificationListView.as_view(), name="notifications"),
    path("me/notifications/read/", api.ReadView.as_view(), name="read-notifications"),
    path("me/digest/", api.DigestView.as_view(), name="digest"),
]
