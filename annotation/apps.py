from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        autodiscover_modules("hidden_items", "style_notes")
