"""Page addresses of endpoints."""

from django.urls import path

from endpoints import views

app_name = "endpoints"

urlpatterns = [
    path("projects/<slug:slug>/endpoints/", views.project_endpoints, name="project-endpoints"),
    path(
        "projects/<slug:slug>/endpoints/new/",
        views.add_project_endpoint,
        name="add-project-endpoint",
    ),
    path(
        "projects/<slug:slug>/endpoints/<int:pk>/",
        views.change_project_endpoint,
        name="change-project-endpoint",
    ),
    path("endpoints/", views.server_endpoints, name="server-endpoints"),
    path("endpoints/new/", views.add_server_endpoint, name="add-server-endpoint"),
    path("endpoints/<int:pk>/", views.change_server_endpoint, name="change-server-endpoint"),
]
