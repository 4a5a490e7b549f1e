"""URLs of the evaluation API, under /api/v1/."""

from django.urls import path

from evaluation.api import views

urlpatterns = [
    path("projects/<slug:slug>/models/", views.ModelListView.as_view(), name="models"),
    path("projects/<slug:slug>/models/<str:name>/", views.ModelView.as_view(), name="model"),
    path("projects/<slug:slug>/prompts/", views.PromptListView.as_view(), name="prompts"),
    path("projects/<slug:slug>/runs/", views.RunListView.as_view(), name="runs"),
    path("runs/<int:pk>/", views.RunView.as_view(), name="run"),
    path("runs/<int:pk>/cancel/", views.RunCancelView.as_view(), name="run-cancel"),
    path("runs/<int:pk>/resume/", views.RunResumeView.as_view(), name="run-resume"),
    path("runs/<int:pk>/score/", views.RunScoreView.as_view(), name="run-score"),
    path("runs/<int:pk>/responses/", views.ResponseListView.as_view(), name="run-responses"),
    path(
        "runs/<int:pk>/responses/<int:response_pk>/",
        views.ResponseView.as_view(),
        name="run-response",
    ),
    path("runs/<int:pk>/files/", views.RunFileListView.as_view(), name="run-files"),
    path("runs/<int:pk>/files/<path:name>", views.RunFileView.as_view(), name="run-file"),
]
