"""Page addresses of `review`."""

from django.urls import path, re_path

from review.views import bench, disputes, rounds, rulings

app_name = "review"
urlpatterns = [
    path("projects/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("projects/<slug:slug>/rounds/open/", rounds.open_round_page, name="open-round"),
    path("projects/<slug:slug>/rounds/guideline/", rounds.guideline, name="guideline"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/rounds/report\.(?P<name>csv|latex|markdown)$",
        rounds.report_file,
        name="report-file",
    ),
    path("projects/<slug:slug>/rounds/<int:number>/", rounds.round_page, name="round"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/rounds/(?P<number>[0-9]+)/subjects\.(?P<name>csv|latex|markdown)$",
        rounds.subjects_file,
        name="subjects-file",
    ),
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
    path("projects/<slug:slug>/disputes/settled/", rulings.settled, name="settled-disputes"),
    path("projects/<slug:slug>/disputes/bulk/", rulings.bulk, name="bulk-disputes"),
    path("projects/<slug:slug>/disputes/blocked/", rulings.blocked, name="blocked-disputes"),
    path("projects/<slug:slug>/disputes/<int:pk>/", disputes.dispute, name="dispute"),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/adjudicate/",
        disputes.adjudicate,
        name="adjudicate",
    ),
    path("projects/<slug:slug>/disputes/<int:pk>/visit/", disputes.visit, name="visit-dispute"),
    path("projects/<slug:slug>/disputes/<int:pk>/reopen/", rulings.reopen, name="reopen-dispute"),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/substitute/",
        rulings.substitute,
        name="name-substitute",
    ),
]
