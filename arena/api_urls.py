"""Addresses of the API of arenas."""

from django.urls import path

from arena import api

urlpatterns = [
    path("projects/<slug:slug>/arenas/", api.ArenaListView.as_view(), name="arenas"),
    path(
        "projects/<slug:slug>/arenas/estimate/",
        api.ArenaEstimateView.as_view(),
        name="arena-estimate",
    ),
    path("arenas/<int:pk>/", api.ArenaView.as_view(), name="arena"),
    path("arenas/<int:pk>/start/", api.ArenaStartView.as_view(), name="start-arena"),
    path("arenas/<int:pk>/cancel/", api.ArenaCancelView.as_view(), name="cancel-arena"),
    path("arenas/<int:pk>/count/", api.ArenaCountView.as_view(), name="count-arena"),
    path("arenas/<int:pk>/judges/<int:judge>/", api.ArenaJudgeView.as_view(), name="arena-judge"),
    path("arenas/<int:pk>/claim/", api.ArenaClaimView.as_view(), name="claim-pair"),
    path("arenas/<int:pk>/take-back/", api.ArenaTakeBackView.as_view(), name="take-back-pair"),
    path("arena-seats/<int:pk>/", api.ArenaSeatView.as_view(), name="judge-pair"),
    path("arenas/<int:pk>/battles/", api.ArenaBattlesView.as_view(), name="arena-battles"),
]
