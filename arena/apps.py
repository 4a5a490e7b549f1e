"""The app `arena`."""

from django.apps import AppConfig


class ArenaConfig(AppConfig):
    name = "arena"
