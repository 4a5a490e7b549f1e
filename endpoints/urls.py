"""Page addresses of endpoints and models."""

from django.urls import path

from endpoints import views
from endpoints.held import views as held
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
    path("models/", specs.model_list, name="server-models"),
    path("models/add/", specs.add, name="add-server-model"),
    path("models/revise/<str:name>/", specs.revise, name="revise-server-model"),
    path("models/retire/<str:name>/", specs.retire, name="retire-server-model"),
    path("models/return/<str:name>/", specs.bring_back, name="return-server-model"),
    path("jobs/<int:pk>/batch-file/", held.download, name="batch-file"),
    path("jobs/<int:pk>/batch-answers/", held.answers, name="batch-answers"),
    path("jobs/<int:pk>/hold/", held.hold, name="hold-job"),
    path("jobs/<int:pk>/ask-directly/", held.end_waiting, name="ask-directly"),
]
