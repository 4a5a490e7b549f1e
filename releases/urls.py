"""Page addresses of `releases`."""

from django.urls import path

from releases.building import views as building
from releases.changes import public_views as public_changes
from releases.changes import views as changes
from releases.details.views import details
from releases.hub.views import hub
from releases.problems import views as problems
from releases.public import views as public
from releases.publishing import views as publishing

app_name = "releases"
_RELEASE = "projects/<slug:slug>/releases/<str:version>"
_PUBLIC = "releases/<slug:slug>/<str:version>"
urlpatterns = [
    path("projects/<slug:slug>/releases/", publishing.release_list, name="list"),
    path("projects/<slug:slug>/releases/build/", building.build, name="build"),
    path("projects/<slug:slug>/releases/details/", details, name="details"),
    path("projects/<slug:slug>/releases/problems/", problems.problems, name="problems"),
    path(
        "projects/<slug:slug>/releases/problems/<int:pk>/", problems.decide, name="decide-problem"
    ),
    path(f"{_RELEASE}/", publishing.detail, name="detail"),
    path(f"{_RELEASE}/audience/", publishing.audience, name="audience"),
    path(f"{_RELEASE}/changes/", changes.changes, name="changes"),
    path(f"{_RELEASE}/changes/markdown/", changes.changelog, name="changelog"),
    path(f"{_RELEASE}/job/", publishing.job, name="job"),
    path(f"{_RELEASE}/files/<path:name>", publishing.artifact, name="artifact"),
    path(f"{_RELEASE}/zenodo/", publishing.archive, name="archive"),
    path(f"{_RELEASE}/hub/", hub, name="hub"),
    path(f"{_RELEASE}/publish/", publishing.publish, name="publish"),
    path(f"{_RELEASE}/yank/", publishing.yank, name="yank"),
    path(f"{_RELEASE}/cancel/", building.cancel, name="cancel"),
    path(f"{_RELEASE}/resume/", building.resume, name="resume"),
    path("releases/", public.index, name="public-index"),
    path("releases/<slug:slug>/", public.versions, name="public-versions"),
    path(f"{_PUBLIC}/", public.release, name="public-release"),
    path(f"{_PUBLIC}/files/", public.files, name="public-files"),
    path(f"{_PUBLIC}/files/<path:name>", public.file, name="public-file"),
    path(f"{_PUBLIC}/changes/", public_changes.changes, name="public-changes"),
    path(f"{_PUBLIC}/changes/markdown/", public_changes.changelog, name="public-changelog"),
    path(f"{_PUBLIC}/items/", public.items, name="public-items"),
    path(f"{_PUBLIC}/items/<path:public_id>/", public.item, name="public-item"),
    path(f"{_PUBLIC}/report/", problems.report, name="report-problem"),
    path(f"{_PUBLIC}/report/sent/", problems.sent, name="problem-sent"),
]
