"""Pages of submissions: for outsiders, and for the managers of a project."""

from django.urls import path

from submissions.views import key_copies, managing, sending, tracing

app_name = "submissions"
_PART = "submit/<slug:slug>/<str:version>/"
_PROJECT = "projects/<slug:slug>/submissions/"

urlpatterns = [
    path(_PART, sending.part, name="part"),
    path(f"{_PART}endpoint/", sending.endpoint, name="endpoint"),
    path(f"{_PART}join/", sending.join, name="join"),
    path(f"{_PART}account/", sending.account, name="ask-account"),
    path(f"{_PART}withheld.jsonl", sending.texts, name="texts"),
    path("submissions/<int:pk>/", sending.submission, name="submission"),
    path("submissions/<int:pk>/cancel/", sending.cancel, name="cancel"),
    path("submissions/<int:pk>/withdraw/", sending.withdraw, name="withdraw"),
    path("submissions/<int:pk>/restore/", sending.restore, name="restore"),
    path(_PROJECT, managing.submissions, name="manage"),
    path(f"{_PROJECT}<int:pk>/", managing.moderate, name="moderate"),
    path(f"{_PROJECT}teams/<int:pk>/", managing.team, name="team"),
    path(f"{_PROJECT}keys/<str:version>/", key_copies.copies, name="key-copies"),
    path(f"{_PROJECT}keys/<str:version>/<int:number>.json", key_copies.file, name="key-copy-file"),
    path(f"{_PROJECT}leaks/<str:version>/", tracing.leaks, name="leaks"),
    path(f"{_PROJECT}rescore/<str:version>/", managing.rescore, name="rescore"),
]
