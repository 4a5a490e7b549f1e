"""Addresses of the API of leaderboards."""

from django.urls import path

from leaderboards.api.views import DifferenceView, LeaderboardView, ModelView

urlpatterns = [
    path(
        "releases/<slug:project>/<str:version>/leaderboard/",
        LeaderboardView.as_view(),
        name="leaderboard",
    ),
    path(
        "releases/<slug:project>/<str:version>/leaderboard/difference/",
        DifferenceView.as_view(),
        name="leaderboard-difference",
    ),
    path(
        "projects/<slug:project>/leaderboard-models/<path:name>/",
        ModelView.as_view(),
        name="leaderboard-model",
    ),
]
