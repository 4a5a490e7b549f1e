"""Page addresses of `releases`."""

from django.urls import path

from releases import views
from releases.details_page import details

app_name = "releases"
_RELEASE = "projects/<slug:slug>/releases/<str:version>"
urlpatterns = [
    path("projects/<slug:slug>/releases/", views.release_list, name="list"),
    path("projects/<slug:slug>/releases/build/", views.build, name="build"),
    path("projects/<slug:slug>/releases/details/", details, name="details"),
    path(f"{_RELEASE}/", views.detail, name="detail"),
    path(f"{_RELEASE}/changes/", views.changes, name="changes"),
    path(f"{_RELEASE}/changes/markdown/", views.changelog, name="changelog"),
    path(f"{_RELEASE}/job/", views.job, name="job"),
    path(f"{_RELEASE}/files/<path:name>", views.artifact, name="artifact"),
    path(f"{_RELEASE}/publish/", views.publish, name="publish"),
    path(f"{_RELEASE}/yank/", views.yank, name="yank"),
    path(f"{_RELEASE}/cancel/", views.cancel, name="cancel"),
    path(f"{_RELEASE}/resume/", views.resume, name="resume"),
]
