"""The app of people and how they get in."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.api import schema  # noqa: F401 - known to the schema once it is imported

        autodiscover_modules("held_work", "email_kinds")
