"""The app `review`."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        autodiscover_modules("text_uses")
