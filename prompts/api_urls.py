"""API addresses of prompts under /api/v1/."""

from django.urls import path

from prompts.api import PromptListView, PromptView

urlpatterns = [
    path("projects/<slug:slug>/prompts/", PromptListView.as_view(), name="prompts"),
    path("projects/<slug:slug>/prompts/<str:name>/", PromptView.as_view(), name="prompt"),
]
