"""URLs of the evaluation pages."""

from django.urls import path, re_path

from evaluation.audits import views as audits
from evaluation.comparisons import views as comparisons
from evaluation.contamination import views as contamination
from evaluation.items import views as items
from evaluation.judging import views as judging
from evaluation.outside import views as outside
from evaluation.prompting import views as prompting
from evaluation.results import views as results
from evaluation.runs import views as runs
from evaluation.translation import views as translation

app_name = "evaluation"
_PROJECT = "projects/<slug:slug>"
_RUN = f"{_PROJECT}/runs/<int:pk>"
urlpatterns = [
    path(f"{_PROJECT}/runs/", runs.run_list, name="runs"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/runs/list\.(?P<extension>csv|jsonl)$",
        runs.list_file,
        name="runs-file",
    ),
    path(f"{_PROJECT}/runs/costs/", runs.costs, name="costs"),
    path(f"{_PROJECT}/runs/start/", runs.start, name="start"),
    path(f"{_PROJECT}/runs/import/", outside.import_run, name="import"),
    path(f"{_PROJECT}/comparisons/", comparisons.comparison, name="comparison"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/comparisons/(?P<name>csv|latex|markdown|svg)$",
        comparisons.comparison_file,
        name="comparison-file",
    ),
    path(f"{_PROJECT}/comparisons/items/", comparisons.flip_list, name="flips"),
    path(f"{_PROJECT}/comparisons/answers/", comparisons.answer_list, name="comparison-answers"),
    path(f"{_PROJECT}/prompts/add/", prompting.add, name="add-prompt"),
    path(f"{_PROJECT}/prompts/revise/<str:name>/", prompting.revise, name="revise-prompt"),
    path(f"{_RUN}/", runs.detail, name="run"),
    path(f"{_RUN}/job/", runs.job, name="job"),
    path(f"{_RUN}/score/", runs.score, name="score"),
    path(f"{_RUN}/scoring-job/", runs.scoring_job, name="scoring-job"),
    path(f"{_RUN}/cancel/", runs.cancel, name="cancel"),
    path(f"{_RUN}/resume/", runs.resume, name="resume"),
    path(f"{_RUN}/files/<path:name>", results.file, name="file"),
    path(f"{_RUN}/export/<slug:name>/", outside.export_run, name="export"),
    path(f"{_RUN}/responses/", results.response_list, name="responses"),
    path(f"{_RUN}/responses/<int:response_pk>/", results.response, name="response"),
    path(f"{_RUN}/judging/", judging.judging, name="judging"),
    path(f"{_RUN}/min-k/", contamination.min_k, name="min-k"),
    path(f"{_RUN}/min-k/<slug:name>/", contamination.min_k_file, name="min-k-file"),
    path(
        f"{_RUN}/translations/<slug:name>/", translation.translation_file, name="translation-file"
    ),
    path(f"{_RUN}/audit/", audits.audit, name="audit"),
    path(f"{_RUN}/audit/read/", audits.read, name="read-for-audit"),
    path(f"{_RUN}/audit/readings.<slug:extension>", audits.export, name="audit-file"),
    path(f"{_PROJECT}/item-analysis/", items.item_analysis, name="item-analysis"),
    path(f"{_PROJECT}/item-analysis/start/", items.analyse, name="analyse-items"),
    path(f"{_PROJECT}/item-analysis/items/<int:pk>/", items.item_figure, name="item-figure"),
    path(f"{_PROJECT}/suggestions/", items.suggestions, name="suggestions"),
    path(f"{_PROJECT}/suggestions/<int:pk>/dismiss/", items.dismiss, name="dismiss-suggestion"),
]
