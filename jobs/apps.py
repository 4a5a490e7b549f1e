from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "jobs"

    def ready(self) -> None:
        """Read the declarations of every app, in the web process and in the worker alike."""
        autodiscover_modules("job_kinds")
