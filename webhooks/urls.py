"""Page addresses of webhooks."""

from django.urls import path

from webhooks import views

app_name = "webhooks"
_ONE = "projects/<slug:slug>/webhooks/<int:pk>"

urlpatterns = [
    path("projects/<slug:slug>/webhooks/", views.webhooks, name="list"),
    path(f"{_ONE}/", views.webhook, name="detail"),
    path(f"{_ONE}/secret/", views.rotate, name="rotate"),
    path(f"{_ONE}/ping/", views.ping, name="ping"),
    path(f"{_ONE}/switch-on/", views.turn_on, name="switch-on"),
    path(f"{_ONE}/remove/", views.remove, name="remove"),
    path(f"{_ONE}/again/<int:delivery>/", views.again, name="again"),
]
