"""Pages of arenas."""

from django.urls import path

from arena import views

app_name = "arena"
_PROJECT = "projects/<slug:slug>/arenas/"
_ARENA = f"{_PROJECT}<int:pk>/"

urlpatterns = [
    path(_PROJECT, views.arena_list, name="arenas"),
    path(f"{_PROJECT}create/", views.create, name="create-arena"),
    path(_ARENA, views.detail, name="arena"),
    path(f"{_ARENA}start/", views.start, name="start-arena"),
    path(f"{_ARENA}cancel/", views.cancel, name="cancel-arena"),
    path(f"{_ARENA}count/", views.count, name="count-arena"),
    path(f"{_ARENA}change/", views.change, name="change-arena"),
    path(f"{_ARENA}judges/<int:judge>/", views.change_judge, name="arena-judge"),
    path(f"{_ARENA}battles/", views.battles, name="arena-battles"),
    path(f"{_ARENA}judge/", views.judge, name="judge-pair"),
    path(f"{_ARENA}battles.jsonl", views.battles_file, name="arena-battles-file"),
]
