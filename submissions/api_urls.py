"""Addresses of the API of submissions."""

from django.urls import path

from submissions.api import key_copies, managing, sending, tracing

_RELEASE = "releases/<slug:project>/<str:version>"

urlpatterns = [
    path(f"{_RELEASE}/submissions/", sending.SubmissionListView.as_view(), name="submissions"),
    path(
        f"{_RELEASE}/endpoint-submissions/",
        sending.EndpointView.as_view(),
        name="endpoint-submissions",
    ),
    path(f"{_RELEASE}/participation/", sending.ParticipationView.as_view(), name="participation"),
    path(f"{_RELEASE}/withheld/", sending.TextsView.as_view(), name="withheld-texts"),
    path(f"{_RELEASE}/key-copies/", key_copies.KeyCopyListView.as_view(), name="key-copies"),
    path(
        f"{_RELEASE}/key-copies/<int:number>/",
        key_copies.KeyCopyFileView.as_view(),
        name="key-copy-file",
    ),
    path(f"{_RELEASE}/rescoring/", managing.RescoringView.as_view(), name="rescoring"),
    path("submissions/<int:pk>/", sending.SubmissionView.as_view(), name="submission"),
    path("submissions/<int:pk>/cancel/", sending.CancelView.as_view(), name="submission-cancel"),
    path(
        "submissions/<int:pk>/withdraw/",
        sending.WithdrawView.as_view(),
        name="submission-withdraw",
    ),
    path(
        "submissions/<int:pk>/restore/",
        sending.RestoreView.as_view(),
        name="submission-restore",
    ),
    path(
        "submissions/<int:pk>/moderation/",
        managing.ModerationView.as_view(),
        name="submission-moderation",
    ),
    path(
        "projects/<slug:slug>/submission-policy/",
        managing.PolicyView.as_view(),
        name="submission-policy",
    ),
    path(
        "projects/<slug:slug>/submissions/",
        managing.ProjectSubmissionsView.as_view(),
        name="project-submissions",
    ),
    path("projects/<slug:slug>/leaks/", tracing.LeaksView.as_view(), name="leaks"),
    path("projects/<slug:slug>/submission-teams/", managing.TeamListView.as_view(), name="teams"),
    path("submission-teams/<int:pk>/", managing.TeamView.as_view(), name="team"),
]
