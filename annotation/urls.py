"""Page addresses of `annotation`, by topic."""

from django.urls import path, re_path
from django.urls.resolvers import URLPattern

from annotation.views import duplicates, findings, imports, items, jobs, projects

app_name = "annotation"

projects_urls: list[URLPattern] = [
    path("", projects.home, name="home"),
    path("new-project/", projects.new_project, name="new-project"),
    path("projects/<slug:slug>/settings/", projects.settings, name="settings"),
    path("projects/<slug:slug>/members/", projects.members, name="members"),
    path("projects/<slug:slug>/members/invite/", projects.invite_member, name="invite-member"),
    path("projects/<slug:slug>/members/<int:pk>/", projects.member, name="member"),
    path(
        "projects/<slug:slug>/members/<int:pk>/pause/", projects.pause_member, name="pause-member"
    ),
    path(
        "projects/<slug:slug>/members/<int:pk>/resume/",
        projects.resume_member,
        name="resume-member",
    ),
    path(
        "projects/<slug:slug>/members/<int:pk>/invite-again/",
        projects.invite_again,
        name="invite-again",
    ),
]

items_urls: list[URLPattern] = [
    path("projects/<slug:slug>/items/", items.items, name="items"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/items\.(?P<extension>csv|jsonl)$",
        items.download_items,
        name="download-items",
    ),
    path("projects/<slug:slug>/items/<int:pk>/", items.item, name="item"),
    path("projects/<slug:slug>/items/<int:pk>/exclude/", items.exclude, name="exclude-item"),
    path("projects/<slug:slug>/items/<int:pk>/restore/", items.restore, name="restore-item"),
    path("projects/<slug:slug>/findings/", findings.findings, name="findings"),
    path("projects/<slug:slug>/findings/<slug:code>/", findings.finding_code, name="finding-code"),
    path(
        "projects/<slug:slug>/findings/<int:pk>/dismiss/",
        findings.dismiss,
        name="dismiss-finding",
    ),
]

imports_urls: list[URLPattern] = [
    path("projects/<slug:slug>/import/", imports.import_items, name="import"),
]

duplicates_urls: list[URLPattern] = [
    path("projects/<slug:slug>/duplicates/", duplicates.duplicates, name="duplicates"),
    path(
        "projects/<slug:slug>/duplicates/download.csv",
        duplicates.download_csv,
        name="duplicates-csv",
    ),
    path(
        "projects/<slug:slug>/duplicates/download.jsonl",
        duplicates.download_jsonl,
        name="duplicates-jsonl",
    ),
    path(
        "projects/<slug:slug>/duplicates/<int:pk>/decision/",
        duplicates.decide,
        name="decide-duplicate",
    ),
    path(
        "projects/<slug:slug>/duplicates/<int:pk>/reopening/",
        duplicates.reopen,
        name="reopen-duplicate",
    ),
    path(
        "projects/<slug:slug>/duplicate-searches/",
        duplicates.start_search,
        name="search-duplicates",
    ),
    path(
        "projects/<slug:slug>/duplicate-searches/<int:pk>/",
        duplicates.search_progress,
        name="duplicate-search",
    ),
    path(
        "projects/<slug:slug>/duplicate-searches/<int:pk>/cancel/",
        duplicates.cancel_search,
        name="cancel-duplicate-search",
    ),
    path(
        "projects/<slug:slug>/duplicate-searches/<int:pk>/resume/",
        duplicates.resume_search,
        name="resume-duplicate-search",
    ),
]

jobs_urls: list[URLPattern] = [
    path("jobs/<int:pk>/", jobs.job, name="job"),
    path("jobs/<int:pk>/errors.csv", jobs.errors, name="job-errors"),
    path("jobs/<int:pk>/cancel/", jobs.cancel, name="cancel-job"),
    path("jobs/<int:pk>/resume/", jobs.resume, name="resume-job"),
]

urlpatterns = [*projects_urls, *items_urls, *imports_urls, *duplicates_urls, *jobs_urls]
