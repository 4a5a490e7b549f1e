"""API addresses of `releases` under /api/v1/."""

from django.urls import path

from releases.building import api as building
from releases.changes import api as changes
from releases.details import api as details
from releases.hub import api as hub
from releases.problems import api as problems
from releases.public import api as public
from releases.publishing import api as publishing
from releases.readiness import api as readiness

_RELEASE = "releases/<slug:project>/<str:version>"
urlpatterns = [
    path("projects/<slug:slug>/releases/", publishing.ReleaseListView.as_view(), name="releases"),
    path(
        "projects/<slug:slug>/releases/preview/",
        building.BuildPreviewView.as_view(),
        name="release-preview",
    ),
    path(
        "projects/<slug:slug>/release-details/",
        details.DetailsView.as_view(),
        name="release-details",
    ),
    path("projects/<slug:slug>/readiness/", readiness.ReadinessView.as_view(), name="readiness"),
    path("releases/", public.PublicProjectListView.as_view(), name="public-releases"),
    path(
        "releases/<slug:project>/", public.PublicVersionListView.as_view(), name="public-versions"
    ),
    path(f"{_RELEASE}/errata/", public.ErratumListView.as_view(), name="release-errata"),
    path(
        f"{_RELEASE}/diff/<str:old>/markdown/",
        changes.ChangelogView.as_view(),
        name="release-changelog",
    ),
    path(f"{_RELEASE}/", publishing.ReleaseView.as_view(), name="release"),
    path(
        f"{_RELEASE}/diff/<str:old>/", changes.DifferenceView.as_view(), name="release-difference"
    ),
    path(f"{_RELEASE}/manifest/", publishing.ManifestView.as_view(), name="release-manifest"),
    path(
        f"{_RELEASE}/artifacts/<path:name>",
        publishing.ArtifactView.as_view(),
        name="release-artifact",
    ),
    path(f"{_RELEASE}/hub/", hub.HubView.as_view(), name="release-hub"),
    path(f"{_RELEASE}/zenodo/", publishing.ArchiveView.as_view(), name="release-archive"),
    path(f"{_RELEASE}/audience/", publishing.AudienceView.as_view(), name="release-audience"),
    path(f"{_RELEASE}/problems/", problems.ReportProblemView.as_view(), name="release-problems"),
    path("projects/<slug:slug>/problems/", problems.ProblemListView.as_view(), name="problems"),
    path(
        "projects/<slug:slug>/problems/<int:pk>/decision/",
        problems.ProblemDecisionView.as_view(),
        name="problem-decision",
    ),
    path(f"{_RELEASE}/publish/", publishing.PublishView.as_view(), name="release-publish"),
    path(f"{_RELEASE}/yank/", publishing.YankView.as_view(), name="release-yank"),
]
