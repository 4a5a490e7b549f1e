"""The app `notifications`."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "notifications"
