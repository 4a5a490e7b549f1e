"""Pages of leaderboards."""

from django.urls import path

from leaderboards import views

app_name = "leaderboards"
urlpatterns = [
    path("boards/<slug:slug>/models/<path:name>/", views.model, name="model"),
    path("boards/<slug:slug>/<str:version>/", views.board, name="board"),
    path("boards/<slug:slug>/<str:version>/board.csv", views.file, name="file"),
    path("boards/<slug:slug>/<str:version>/arenas.csv", views.arenas_file, name="arenas-file"),
    path("boards/<slug:slug>/<str:version>/difference/", views.difference, name="difference"),
    path("boards/<slug:slug>/<str:version>/embed/", views.embed, name="embed"),
    path("boards/<slug:slug>/<str:version>/badge.svg", views.badge, name="badge"),
]
