"""URLs of the evaluation pages."""

from django.urls import path

from evaluation.views import models, responses, runs

app_name = "evaluation"
_PROJECT = "projects/<slug:slug>"
_RUN = f"{_PROJECT}/runs/<int:pk>"
urlpatterns = [
    path(f"{_PROJECT}/runs/", runs.run_list, name="runs"),
    path(f"{_PROJECT}/runs/start/", runs.start, name="start"),
    path(f"{_RUN}/", runs.detail, name="run"),
    path(f"{_RUN}/job/", runs.job, name="job"),
    path(f"{_RUN}/score/", runs.score, name="score"),
    path(f"{_RUN}/scoring-job/", runs.scoring_job, name="scoring-job"),
    path(f"{_RUN}/cancel/", runs.cancel, name="cancel"),
    path(f"{_RUN}/resume/", runs.resume, name="resume"),
    path(f"{_RUN}/files/<path:name>", runs.file, name="file"),
    path(f"{_RUN}/responses/", responses.response_list, name="responses"),
    path(f"{_RUN}/responses/<int:response_pk>/", responses.response, name="response"),
    path(f"{_PROJECT}/models/", models.model_list, name="models"),
    path(f"{_PROJECT}/models/add/", models.add, name="add-model"),
    path(f"{_PROJECT}/models/revise/<str:name>/", models.revise, name="revise-model"),
    path(f"{_PROJECT}/prompts/", models.prompts, name="prompts"),
]
