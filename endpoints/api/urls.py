"""API addresses of endpoints and models under /api/v1/."""

from django.urls import path

from endpoints.api import views
from endpoints.held import api as held
from endpoints.specs import api as specs

urlpatterns = [
    path(
        "projects/<slug:slug>/endpoints/",
        views.ProjectEndpointListView.as_view(),
        name="project-endpoints",
    ),
    path("endpoints/", views.ServerEndpointListView.as_view(), name="server-endpoints"),
    path("endpoints/<int:pk>/", views.EndpointView.as_view(), name="endpoint"),
    path("projects/<slug:slug>/models/", specs.ModelListView.as_view(), name="models"),
    path("projects/<slug:slug>/models/<str:name>/", specs.ModelView.as_view(), name="model"),
    path(
        "projects/<slug:slug>/models/<str:name>/test/",
        specs.ModelTestView.as_view(),
        name="test-model",
    ),
    path(
        "projects/<slug:slug>/models/<str:name>/retire/",
        specs.ModelRetireView.as_view(),
        name="retire-model",
    ),
    path(
        "projects/<slug:slug>/models/<str:name>/return/",
        specs.ModelReturnView.as_view(),
        name="return-model",
    ),
    path("models/", specs.ServerModelListView.as_view(), name="server-models"),
    path("models/<str:name>/", specs.ServerModelView.as_view(), name="server-model"),
    path(
        "models/<str:name>/retire/",
        specs.ServerModelRetireView.as_view(),
        name="retire-server-model",
    ),
    path(
        "models/<str:name>/return/",
        specs.ServerModelReturnView.as_view(),
        name="return-server-model",
    ),
    path("jobs/<int:pk>/batch-file/", held.BatchFileView.as_view(), name="batch-file"),
    path("jobs/<int:pk>/batch-answers/", held.BatchAnswersView.as_view(), name="batch-answers"),
    path("jobs/<int:pk>/hold/", held.HoldView.as_view(), name="hold-job"),
    path("jobs/<int:pk>/ask-directly/", held.AskDirectlyView.as_view(), name="ask-directly"),
]
