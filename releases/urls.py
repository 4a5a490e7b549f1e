"""Page addresses of `releases`."""

from django.urls import path

from releases import views
from releases.details_page import details
from releases.hub_page import hub
from releases.readers import changes, pages, problems

app_name = "releases"
_RELEASE = "projects/<slug:slug>/releases/<str:version>"
_PUBLIC = "releases/<slug:slug>/<str:version>"
urlpatterns = [
    path("projects/<slug:slug>/releases/", views.release_list, name="list"),
    path("projects/<slug:slug>/releases/build/", views.build, name="build"),
    path("projects/<slug:slug>/releases/details/", details, name="details"),
    path("projects/<slug:slug>/releases/problems/", problems.problems, name="problems"),
    path(
        "projects/<slug:slug>/releases/problems/<int:pk>/", problems.decide, name="decide-problem"
    ),
    path(f"{_RELEASE}/", views.detail, name="detail"),
    path(f"{_RELEASE}/audience/", views.audience, name="audience"),
    path(f"{_RELEASE}/changes/", views.changes, name="changes"),
    path(f"{_RELEASE}/changes/markdown/", views.changelog, name="changelog"),
    path(f"{_RELEASE}/job/", views.job, name="job"),
    path(f"{_RELEASE}/files/<path:name>", views.artifact, name="artifact"),
    path(f"{_RELEASE}/zenodo/", views.archive, name="archive"),
    path(f"{_RELEASE}/hub/", hub, name="hub"),
    path(f"{_RELEASE}/publish/", views.publish, name="publish"),
    path(f"{_RELEASE}/yank/", views.yank, name="yank"),
    path(f"{_RELEASE}/cancel/", views.cancel, name="cancel"),
    path(f"{_RELEASE}/resume/", views.resume, name="resume"),
    path("releases/", pages.index, name="public-index"),
    path("releases/<slug:slug>/", pages.versions, name="public-versions"),
    path(f"{_PUBLIC}/", pages.release, name="public-release"),
    path(f"{_PUBLIC}/files/", pages.files, name="public-files"),
    path(f"{_PUBLIC}/files/<path:name>", pages.file, name="public-file"),
    path(f"{_PUBLIC}/changes/", changes.changes, name="public-changes"),
    path(f"{_PUBLIC}/changes/markdown/", changes.changelog, name="public-changelog"),
    path(f"{_PUBLIC}/items/", pages.items, name="public-items"),
    path(f"{_PUBLIC}/items/<path:public_id>/", pages.item, name="public-item"),
    path(f"{_PUBLIC}/report/", problems.report, name="report-problem"),
    path(f"{_PUBLIC}/report/sent/", problems.sent, name="problem-sent"),
]
