"""Page addresses of endpoints and models."""

from django.urls import path

from endpoints import views
from endpoints.specs import views as specs

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
    path("projects/<slug:slug>/models/", specs.model_list, name="models"),
    path("projects/<slug:slug>/models/add/", specs.add, name="add-model"),
    path("projects/<slug:slug>/models/revise/<str:name>/", specs.revise, name="revise-model"),
    path("projects/<slug:slug>/models/test/<str:name>/", specs.test, name="test-model"),
    path("projects/<slug:slug>/models/retire/<str:name>/", specs.retire, name="retire-model"),
    path("projects/<slug:slug>/models/return/<str:name>/", specs.bring_back, name="return-model"),
]
