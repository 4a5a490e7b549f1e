"""Addresses of the API of leaderboards."""

from django.urls import path

from leaderboards.api.views import LeaderboardView, ModelView

urlpatterns = [
    path(
        "releases/<slug:project>/<str:version>/leaderboard/",
        LeaderboardView.as_view(),
        name="leaderboard",
    ),
    path(
        "projects/<slug:project>/leaderboard-models/<path:name>/",
        ModelView.as_view(),
        name="leaderboard-model",
    ),
]
