"""The app `releases`."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class ReleasesConfig(AppConfig):
    name = "releases"

    def ready(self) -> None:
        autodiscover_modules("release_links")
