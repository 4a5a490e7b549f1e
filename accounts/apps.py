"""The app of people and how they get in."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.api import schema  # noqa: F401 - known to the schema once it is imported
