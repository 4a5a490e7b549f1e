"""Page addresses of prompts."""

from django.urls import path

from prompts import views

app_name = "prompts"
urlpatterns = [path("projects/<slug:slug>/prompts/", views.prompt_list, name="list")]
