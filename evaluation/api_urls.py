"""URLs of the evaluation API, under /api/v1/."""

from django.urls import path

from evaluation.audits import api as audits
from evaluation.comparisons import api as comparisons
from evaluation.contamination import api as contamination
from evaluation.items import api as items
from evaluation.judging import api as judging
from evaluation.outside import api as outside
from evaluation.prompting import api as prompting
from evaluation.results import api as results
from evaluation.runs import api as runs
from evaluation.translation import api as translation

_PROJECT = "projects/<slug:slug>"
urlpatterns = [
    path("projects/<slug:slug>/runs/", runs.RunListView.as_view(), name="runs"),
    path("projects/<slug:slug>/runs/export/", runs.RunExportView.as_view(), name="runs-export"),
    path("projects/<slug:slug>/runs/costs/", runs.RunCostView.as_view(), name="run-costs"),
    path(
        "projects/<slug:slug>/runs/estimate/", runs.RunEstimateView.as_view(), name="run-estimate"
    ),
    path("projects/<slug:slug>/runs/import/", outside.RunImportView.as_view(), name="import-run"),
    path(
        "projects/<slug:slug>/comparisons/",
        comparisons.ComparisonView.as_view(),
        name="comparisons",
    ),
    path(
        "projects/<slug:slug>/comparisons/export/",
        comparisons.ComparisonExportView.as_view(),
        name="comparison-export",
    ),
    path(
        "projects/<slug:slug>/comparisons/items/",
        comparisons.FlipListView.as_view(),
        name="flips",
    ),
    path(
        "projects/<slug:slug>/comparisons/answers/",
        comparisons.AnswerListView.as_view(),
        name="comparison-answers",
    ),
    path(
        f"{_PROJECT}/prompt-preview/", prompting.PromptPreviewView.as_view(), name="prompt-preview"
    ),
    path("runs/<int:pk>/", runs.RunView.as_view(), name="run"),
    path("runs/<int:pk>/cancel/", runs.RunCancelView.as_view(), name="run-cancel"),
    path("runs/<int:pk>/resume/", runs.RunResumeView.as_view(), name="run-resume"),
    path("runs/<int:pk>/score/", runs.RunScoreView.as_view(), name="run-score"),
    path("runs/<int:pk>/responses/", results.ResponseListView.as_view(), name="run-responses"),
    path(
        "runs/<int:pk>/responses/<int:response_pk>/",
        results.ResponseView.as_view(),
        name="run-response",
    ),
    path("runs/<int:pk>/files/", results.RunFileListView.as_view(), name="run-files"),
    path("runs/<int:pk>/files/<path:name>", results.RunFileView.as_view(), name="run-file"),
    path("runs/<int:pk>/export/", outside.RunAnswersView.as_view(), name="run-answers"),
    path("runs/<int:pk>/judging/", judging.JudgingView.as_view(), name="answer-judging"),
    path(
        "runs/<int:pk>/judging/estimate/",
        judging.JudgingEstimateView.as_view(),
        name="answer-judging-estimate",
    ),
    path("runs/<int:pk>/min-k/", contamination.MinKView.as_view(), name="min-k"),
    path(
        "runs/<int:pk>/min-k/export/", contamination.MinKExportView.as_view(), name="min-k-export"
    ),
    path(
        "runs/<int:pk>/translations/",
        translation.TranslationScoreView.as_view(),
        name="translation-scores",
    ),
    path(
        "runs/<int:pk>/translations/export/",
        translation.TranslationScoreExportView.as_view(),
        name="translation-scores-export",
    ),
    path("runs/<int:pk>/audit/", audits.AuditView.as_view(), name="extraction-audit"),
    path("runs/<int:pk>/audit/next/", audits.NextView.as_view(), name="extraction-audit-next"),
    path(
        "runs/<int:pk>/audit/readings/",
        audits.ExtractionReadingView.as_view(),
        name="extraction-audit-readings",
    ),
    path(
        "runs/<int:pk>/audit/export/",
        audits.AuditExportView.as_view(),
        name="extraction-audit-export",
    ),
    path(f"{_PROJECT}/item-analyses/", items.AnalysisListView.as_view(), name="item-analyses"),
    path(f"{_PROJECT}/item-analysis/", items.FigureListView.as_view(), name="item-analysis"),
    path(
        f"{_PROJECT}/suggestions/",
        items.ReviewSuggestionListView.as_view(),
        name="review-suggestions",
    ),
    path(f"{_PROJECT}/suggestions/send/", items.SendView.as_view(), name="send-suggestions"),
    path(f"{_PROJECT}/suggestions/found/", items.HitRateView.as_view(), name="suggestions-found"),
    path(
        f"{_PROJECT}/suggestions/<int:pk>/dismiss/",
        items.DismissView.as_view(),
        name="dismiss-suggestion",
    ),
]
