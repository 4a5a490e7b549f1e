"""API addresses of `annotation` under /api/v1/, by topic."""

from django.urls import path
from django.urls.resolvers import URLPattern

from annotation.api import duplicates, findings, imports, items, jobs, projects

projects_urls: list[URLPattern] = [
    path("me/", projects.MeView.as_view(), name="me"),
    path("projects/", projects.ProjectListView.as_view(), name="projects"),
    path("projects/<slug:slug>/", projects.ProjectView.as_view(), name="project"),
    path("projects/<slug:slug>/members/", projects.MemberListView.as_view(), name="members"),
    path("projects/<slug:slug>/members/<int:pk>/", projects.MemberView.as_view(), name="member"),
    path(
        "projects/<slug:slug>/members/<int:pk>/pause/",
        projects.PauseMemberView.as_view(),
        name="pause-member",
    ),
    path(
        "projects/<slug:slug>/members/<int:pk>/resume/",
        projects.ResumeMemberView.as_view(),
        name="resume-member",
    ),
]

items_urls: list[URLPattern] = [
    path("projects/<slug:slug>/items/", items.ItemListView.as_view(), name="items"),
    path("projects/<slug:slug>/items/<int:pk>/", items.ItemView.as_view(), name="item"),
    path(
        "projects/<slug:slug>/items/<int:pk>/exclude/",
        items.ExcludeItemView.as_view(),
        name="exclude-item",
    ),
    path(
        "projects/<slug:slug>/items/<int:pk>/restore/",
        items.RestoreItemView.as_view(),
        name="restore-item",
    ),
    path("projects/<slug:slug>/findings/", findings.FindingListView.as_view(), name="findings"),
    path(
        "findings/<int:pk>/dismiss/",
        findings.DismissFindingView.as_view(),
        name="dismiss-finding",
    ),
]

imports_urls: list[URLPattern] = [
    path("projects/<slug:slug>/imports/", imports.ImportListView.as_view(), name="imports"),
]

duplicates_urls: list[URLPattern] = [
    path(
        "projects/<slug:slug>/duplicates/",
        duplicates.DuplicatePairListView.as_view(),
        name="duplicates",
    ),
    path(
        "projects/<slug:slug>/duplicate-searches/",
        duplicates.DuplicateSearchListView.as_view(),
        name="duplicate-searches",
    ),
    path(
        "duplicates/<int:pk>/decision/",
        duplicates.DuplicateDecisionView.as_view(),
        name="duplicate-decision",
    ),
    path(
        "duplicates/<int:pk>/reopening/",
        duplicates.DuplicateReopeningView.as_view(),
        name="duplicate-reopening",
    ),
]

jobs_urls: list[URLPattern] = [
    path("jobs/<int:pk>/", jobs.JobView.as_view(), name="job"),
    path("jobs/<int:pk>/cancel/", jobs.CancelJobView.as_view(), name="cancel-job"),
    path("jobs/<int:pk>/resume/", jobs.ResumeJobView.as_view(), name="resume-job"),
]

urlpatterns = [*projects_urls, *items_urls, *imports_urls, *duplicates_urls, *jobs_urls]
