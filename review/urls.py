"""Page addresses of `review`."""

from django.urls import path, re_path

from review.views import bench, disputes, report, rounds

app_name = "review"
urlpatterns = [
    path("projects/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("projects/<slug:slug>/rounds/open/", rounds.open_round_page, name="open-round"),
    path("projects/<slug:slug>/rounds/guideline/", rounds.guideline, name="guideline"),
    path("projects/<slug:slug>/report/", report.report_page, name="report"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/report/"
        r"(?P<table>stages|systems|subjects|categories|criteria|reviewers|pairs)\."
        r"(?P<name>csv|latex|markdown|json)$",
        report.report_file,
        name="report-file",
    ),
    path("projects/<slug:slug>/report/reviewers/", report.reviewers_page, name="reviewers"),
    path(
        "projects/<slug:slug>/report/reviewers/estimate/",
        report.estimate_page,
        name="estimate-reliability",
    ),
    path(
        "projects/<slug:slug>/report/reviewers/<int:first>/<int:second>/",
        report.pair_page,
        name="pair",
    ),
    path("projects/<slug:slug>/rounds/<int:number>/", rounds.round_page, name="round"),
    path(
        "projects/<slug:slug>/rounds/<int:number>/close/",
        rounds.close_round_page,
        name="close-round",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/discard/",
        rounds.discard_round_page,
        name="discard-round",
    ),
    path("projects/<slug:slug>/rounds/<int:number>/judge/", bench.workbench, name="workbench"),
    path("projects/<slug:slug>/rounds/<int:number>/claim/", bench.claim, name="claim"),
    path("projects/<slug:slug>/rounds/<int:number>/submit/", bench.submit, name="submit"),
    path("projects/<slug:slug>/rounds/<int:number>/skip/", bench.skip, name="skip"),
    path("projects/<slug:slug>/rounds/<int:number>/unskip/", bench.unskip, name="unskip"),
    path("projects/<slug:slug>/disputes/", disputes.queue, name="disputes"),
    path("projects/<slug:slug>/disputes/<int:pk>/", disputes.dispute, name="dispute"),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/adjudicate/",
        disputes.adjudicate,
        name="adjudicate",
    ),
]
