"""Every address: pages by app, the API under /api/v1/, health and schema."""

from django.urls import include, path

from config import schema, views
from config.overview import api
from config.overview import views as overview

handler404 = "common.errors.not_found"
handler500 = "common.unavailable.server_error"

urlpatterns = [
    path("", overview.home, name="home"),
    path("seen/", overview.mark_seen, name="mark-seen"),
    path("projects/<slug:slug>/", overview.project_overview, name="overview"),
    # Before the pages: behind them, each call was compared with the addresses of all pages first.
    path(
        "api/v1/",
        include(
            (
                [
                    path("me/home/", api.HomeView.as_view(), name="home"),
                    path(
                        "projects/<slug:slug>/overview/",
                        api.OverviewView.as_view(),
                        name="overview",
                    ),
                    path("", include("accounts.api.urls")),
                    path("", include("projects.api.urls")),
                    path("", include("jobs.api.urls")),
                    path("", include("endpoints.api.urls")),
                    path("", include("prompts.api_urls")),
                    path("", include("annotation.api_urls")),
                    path("", include("review.api_urls")),
                    path("", include("releases.api_urls")),
                    path("", include("evaluation.api_urls")),
                    path("", include("submissions.api_urls")),
                    path("", include("arena.api_urls")),
                    path("", include("leaderboards.api_urls")),
                    path("", include("notifications.api_urls")),
                    path("", include("webhooks.api_urls")),
                ],
                "api",
            )
        ),
    ),
    path("", include("review.urls")),  # the first pages, as the workbench asks most often
    path("", include("projects.urls")),
    path("", include("jobs.urls")),
    path("", include("endpoints.urls")),
    path("", include("prompts.urls")),
    path("", include("annotation.urls")),
    path("", include("releases.urls")),
    path("", include("evaluation.urls")),
    path("", include("submissions.urls")),
    path("", include("arena.urls")),
    path("", include("leaderboards.urls")),
    path("accounts/", include("accounts.urls")),
    path("notifications/", include("notifications.urls")),
    path("", include("webhooks.urls")),
    path("help/", views.help_page, name="help"),
    path("styles.css", views.styles_css, name="styles-css"),
    path("service-worker.js", views.service_worker, name="service-worker"),
    path("fonts/<slug:name>.woff2", views.web_font, name="web-font"),
    path("healthz", views.health, name="health"),
    path("metrics", views.metrics, name="metrics"),
    path("api/schema/", schema.SchemaView.as_view(), name="schema"),
    path("api/docs/", views.api_docs, name="api-docs"),
]
