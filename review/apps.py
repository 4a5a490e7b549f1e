"""The app `review`."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        autodiscover_modules("text_uses")
        import_module("review.answers.systems")  # declares itself to the report
