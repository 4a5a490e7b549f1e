"""API addresses of `releases` under /api/v1/."""

from django.urls import path

from releases.api import problems, public, views

_RELEASE = "releases/<slug:project>/<str:version>"
urlpatterns = [
    path("projects/<slug:slug>/releases/", views.ReleaseListView.as_view(), name="releases"),
    path(
        "projects/<slug:slug>/releases/preview/",
        views.BuildPreviewView.as_view(),
        name="release-preview",
    ),
    path(
        "projects/<slug:slug>/release-details/", views.DetailsView.as_view(), name="release-details"
    ),
    path("projects/<slug:slug>/readiness/", views.ReadinessView.as_view(), name="readiness"),
    path("releases/", public.PublicProjectListView.as_view(), name="public-releases"),
    path(
        "releases/<slug:project>/", public.PublicVersionListView.as_view(), name="public-versions"
    ),
    path(f"{_RELEASE}/errata/", public.ErratumListView.as_view(), name="release-errata"),
    path(
        f"{_RELEASE}/diff/<str:old>/markdown/",
        public.ChangelogView.as_view(),
        name="release-changelog",
    ),
    path(f"{_RELEASE}/", views.ReleaseView.as_view(), name="release"),
    path(f"{_RELEASE}/diff/<str:old>/", views.DifferenceView.as_view(), name="release-difference"),
    path(f"{_RELEASE}/manifest/", views.ManifestView.as_view(), name="release-manifest"),
    path(
        f"{_RELEASE}/artifacts/<path:name>", views.ArtifactView.as_view(), name="release-artifact"
    ),
    path(f"{_RELEASE}/hub/", views.HubView.as_view(), name="release-hub"),
    path(f"{_RELEASE}/zenodo/", views.ArchiveView.as_view(), name="release-archive"),
    path(f"{_RELEASE}/audience/", views.AudienceView.as_view(), name="release-audience"),
    path(f"{_RELEASE}/problems/", problems.ReportProblemView.as_view(), name="release-problems"),
    path("projects/<slug:slug>/problems/", problems.ProblemListView.as_view(), name="problems"),
    path(
        "projects/<slug:slug>/problems/<int:pk>/decision/",
        problems.ProblemDecisionView.as_view(),
        name="problem-decision",
    ),
    path(f"{_RELEASE}/publish/", views.PublishView.as_view(), name="release-publish"),
    path(f"{_RELEASE}/yank/", views.YankView.as_view(), name="release-yank"),
]
