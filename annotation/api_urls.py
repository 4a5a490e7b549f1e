"""API addresses of `annotation` under /api/v1/, by topic."""

from django.urls import path
from django.urls.resolvers import URLPattern

from annotation.checks import api as findings
from annotation.duplicates import api as duplicates
from annotation.glossary import api as glossary
from annotation.imports import api as imports
from annotation.items import api as items
from annotation.items import saved_filter_api as saved_filters
from annotation.making import api as making
from annotation.making.by_model import api as making_jobs
from annotation.making.from_pool import api as sampling_jobs
from annotation.memory import api as memory
from annotation.screening import api as screening
from annotation.translating import api as translating

items_urls: list[URLPattern] = [
    path("projects/<slug:slug>/items/", items.ItemListView.as_view(), name="items"),
    path("projects/<slug:slug>/items/export/", items.ItemExportView.as_view(), name="items-export"),
    path("projects/<slug:slug>/items/<int:pk>/", items.ItemView.as_view(), name="item"),
    path(
        "projects/<slug:slug>/items/<int:pk>/key/",
        items.ItemKeyView.as_view(),
        name="item-key",
    ),
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
    path(
        "projects/<slug:slug>/item-filters/",
        saved_filters.SavedFilterListView.as_view(),
        name="saved-filters",
    ),
    path(
        "projects/<slug:slug>/item-filters/<int:pk>/",
        saved_filters.SavedFilterView.as_view(),
        name="saved-filter",
    ),
    path("projects/<slug:slug>/checks/", findings.CheckView.as_view(), name="checks"),
    path("projects/<slug:slug>/findings/", findings.FindingListView.as_view(), name="findings"),
    path(
        "projects/<slug:slug>/findings/counts/",
        findings.FindingCountsView.as_view(),
        name="finding-counts",
    ),
    path(
        "findings/<int:pk>/dismiss/",
        findings.DismissFindingView.as_view(),
        name="dismiss-finding",
    ),
    path(
        "findings/<int:pk>/reopen/",
        findings.ReopenFindingView.as_view(),
        name="reopen-finding",
    ),
]

imports_urls: list[URLPattern] = [
    path("projects/<slug:slug>/imports/", imports.ImportListView.as_view(), name="imports"),
    path("jobs/<int:pk>/errors/", imports.ImportErrorsView.as_view(), name="import-errors"),
    path("jobs/<int:pk>/import-again/", imports.ImportAgainView.as_view(), name="import-again"),
    path(
        "projects/<slug:slug>/import-mappings/",
        imports.ImportMappingsView.as_view(),
        name="import-mappings",
    ),
    path("jobs/<int:pk>/undo-import/", imports.UndoImportView.as_view(), name="undo-import"),
]

duplicates_urls: list[URLPattern] = [
    path(
        "projects/<slug:slug>/duplicates/",
        duplicates.DuplicatePairListView.as_view(),
        name="duplicates",
    ),
    path(
        "projects/<slug:slug>/duplicates/export/",
        duplicates.DuplicateExportView.as_view(),
        name="duplicates-export",
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

words_urls: list[URLPattern] = [
    path("projects/<slug:slug>/terms/", glossary.TermListView.as_view(), name="terms"),
    path("projects/<slug:slug>/terms/<int:pk>/", glossary.TermView.as_view(), name="term"),
    path(
        "projects/<slug:slug>/terms/<int:pk>/history/",
        glossary.TermHistoryView.as_view(),
        name="term-history",
    ),
    path(
        "projects/<slug:slug>/terms/import/", imports.TermImportView.as_view(), name="import-terms"
    ),
    path(
        "projects/<slug:slug>/terms/file/<str:extension>/",
        glossary.TermFileView.as_view(),
        name="term-file",
    ),
    path(
        "projects/<slug:slug>/items/<int:pk>/terms/",
        items.ItemTermsView.as_view(),
        name="item-terms",
    ),
    path(
        "projects/<slug:slug>/term-proposals/",
        glossary.ProposalListView.as_view(),
        name="term-proposals",
    ),
    path(
        "projects/<slug:slug>/term-proposals/<int:pk>/decision/",
        glossary.DecisionView.as_view(),
        name="decide-term",
    ),
    path("projects/<slug:slug>/concordance/", memory.ConcordanceView.as_view(), name="concordance"),
    path("projects/<slug:slug>/memory/", memory.MemoryView.as_view(), name="memory"),
]

translating_urls: list[URLPattern] = [
    path(
        "projects/<slug:slug>/translation-jobs/",
        translating.TranslationJobListView.as_view(),
        name="translation-jobs",
    ),
    path(
        "projects/<slug:slug>/translation-system/",
        translating.TranslationSystemView.as_view(),
        name="translation-system",
    ),
    path(
        "projects/<slug:slug>/translation-prompt/",
        translating.TranslationPromptView.as_view(),
        name="translation-prompt",
    ),
    path(
        "projects/<slug:slug>/endpoints/<int:pk>/hidden-items/",
        translating.HiddenItemsView.as_view(),
        name="allow-hidden-items",
    ),
    path(
        "translation-jobs/<int:pk>/",
        translating.TranslationJobView.as_view(),
        name="translation-job",
    ),
    path(
        "translation-jobs/<int:pk>/cancel/",
        translating.TranslationJobCancelView.as_view(),
        name="translation-job-cancel",
    ),
    path(
        "translation-jobs/<int:pk>/resume/",
        translating.TranslationJobResumeView.as_view(),
        name="translation-job-resume",
    ),
]

_MAKING = "projects/<slug:slug>/making-jobs"
making_urls: list[URLPattern] = [
    path("projects/<slug:slug>/make-items/", making.MakeItemsView.as_view(), name="make-items"),
    path(f"{_MAKING}/", making_jobs.MakingJobListView.as_view(), name="making-jobs"),
    path(f"{_MAKING}/prompt/", making_jobs.MakingPromptView.as_view(), name="making-prompt"),
    path(f"{_MAKING}/<int:pk>/", making_jobs.MakingJobView.as_view(), name="making"),
    path(
        f"{_MAKING}/<int:pk>/failed/",
        making_jobs.FailedPairListView.as_view(),
        name="failed-pairs",
    ),
    path(
        f"{_MAKING}/<int:pk>/cancel/",
        making_jobs.MakingJobCancelView.as_view(),
        name="making-cancel",
    ),
    path(
        f"{_MAKING}/<int:pk>/resume/",
        making_jobs.MakingJobResumeView.as_view(),
        name="making-resume",
    ),
]

_SAMPLING = "projects/<slug:slug>/sampling-jobs"
sampling_urls: list[URLPattern] = [
    path(f"{_SAMPLING}/", sampling_jobs.SamplingJobListView.as_view(), name="sampling-jobs"),
    path(
        f"{_SAMPLING}/prompt/", sampling_jobs.SamplingPromptView.as_view(), name="sampling-prompt"
    ),
    path(f"{_SAMPLING}/<int:pk>/", sampling_jobs.SamplingJobView.as_view(), name="sampling"),
    path(f"{_SAMPLING}/<int:pk>/sample/", sampling_jobs.SampleView.as_view(), name="sample"),
    path(
        f"{_SAMPLING}/<int:pk>/failed/",
        sampling_jobs.FailedPromptListView.as_view(),
        name="failed-prompts",
    ),
    path(
        f"{_SAMPLING}/<int:pk>/cancel/",
        sampling_jobs.SamplingCancelView.as_view(),
        name="sampling-cancel",
    ),
    path(
        f"{_SAMPLING}/<int:pk>/resume/",
        sampling_jobs.SamplingResumeView.as_view(),
        name="sampling-resume",
    ),
]

_SCREENINGS = "projects/<slug:slug>/screenings"
screening_urls: list[URLPattern] = [
    path(f"{_SCREENINGS}/", screening.ScreeningListView.as_view(), name="screenings"),
    path(
        f"{_SCREENINGS}/prompts/<slug:screen>/",
        screening.ScreenPromptView.as_view(),
        name="screening-prompt",
    ),
    path(f"{_SCREENINGS}/<int:pk>/", screening.ScreeningView.as_view(), name="screening"),
    path(f"{_SCREENINGS}/<int:pk>/opinions/", screening.OpinionListView.as_view(), name="opinions"),
    path(
        f"{_SCREENINGS}/<int:pk>/cancel/",
        screening.ScreeningCancelView.as_view(),
        name="screening-cancel",
    ),
    path(
        f"{_SCREENINGS}/<int:pk>/resume/",
        screening.ScreeningResumeView.as_view(),
        name="screening-resume",
    ),
]

urlpatterns = [
    *items_urls,
    *imports_urls,
    *duplicates_urls,
    *words_urls,
    *translating_urls,
    *making_urls,
    *sampling_urls,
    *screening_urls,
]
