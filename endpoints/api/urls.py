"""API addresses of endpoints under /api/v1/."""

from django.urls import path

from endpoints.api import views

urlpatterns = [
    path(
        "projects/<slug:slug>/endpoints/",
        views.ProjectEndpointListView.as_view(),
        name="project-endpoints",
    ),
    path("endpoints/", views.ServerEndpointListView.as_view(), name="server-endpoints"),
    path("endpoints/<int:pk>/", views.EndpointView.as_view(), name="endpoint"),
]
