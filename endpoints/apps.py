from importlib import import_module

from django.apps import AppConfig


class EndpointsConfig(AppConfig):
    name = "endpoints"

    def ready(self) -> None:
        """Load the words of stored errors, which the web process only shows."""
        import_module("endpoints.stops")
