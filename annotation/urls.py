"""Page addresses of `annotation`, by topic."""

from django.urls import path, re_path
from django.urls.resolvers import URLPattern

from annotation.asking.urls import job_paths
from annotation.checks import views as findings
from annotation.duplicates import views as duplicates
from annotation.glossary import proposal_views as proposals
from annotation.glossary import views as glossary
from annotation.imports import term_views
from annotation.imports import views as imports
from annotation.items import saved_filter_views as saved_filters
from annotation.items import views as items
from annotation.making import views as making
from annotation.making.by_model import views as making_jobs
from annotation.making.by_model.actions import MAKING
from annotation.making.from_pool import views as sampling_jobs
from annotation.making.from_pool.actions import SAMPLING
from annotation.memory import views as memory
from annotation.screening import views as screening
from annotation.screening.actions import SCREENING
from annotation.translating import views as translating
from annotation.translating.actions import TRANSLATION

app_name = "annotation"

items_urls: list[URLPattern] = [
    path("projects/<slug:slug>/items/", items.items, name="items"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/items\.(?P<extension>csv|jsonl)$",
        items.download_items,
        name="download-items",
    ),
    path("projects/<slug:slug>/items/<int:pk>/", items.item, name="item"),
    path("projects/<slug:slug>/items/<int:pk>/key/", items.correct, name="correct-key"),
    path("projects/<slug:slug>/items/<int:pk>/exclude/", items.exclude, name="exclude-item"),
    path("projects/<slug:slug>/items/<int:pk>/restore/", items.restore, name="restore-item"),
    path("projects/<slug:slug>/items/filters/", saved_filters.saved_filters, name="saved-filters"),
    path(
        "projects/<slug:slug>/items/filters/<int:pk>/rename/",
        saved_filters.rename,
        name="rename-filter",
    ),
    path(
        "projects/<slug:slug>/items/filters/<int:pk>/remove/",
        saved_filters.remove,
        name="remove-filter",
    ),
    path("projects/<slug:slug>/findings/", findings.findings, name="findings"),
    path(
        "projects/<slug:slug>/findings/dismissed/",
        findings.dismissed_findings,
        name="dismissed-findings",
    ),
    path("projects/<slug:slug>/findings/check-again/", findings.check_again, name="check-again"),
    path("projects/<slug:slug>/findings/<slug:code>/", findings.finding_code, name="finding-code"),
    path(
        "projects/<slug:slug>/findings/<int:pk>/dismiss/",
        findings.dismiss,
        name="dismiss-finding",
    ),
    path(
        "projects/<slug:slug>/findings/<int:pk>/reopen/",
        findings.reopen,
        name="reopen-finding",
    ),
]

imports_urls: list[URLPattern] = [
    path("projects/<slug:slug>/import/", imports.import_items, name="import"),
    path("jobs/<int:pk>/errors.csv", imports.errors, name="import-errors"),
    path("jobs/<int:pk>/columns/", imports.columns, name="import-columns"),
    path("jobs/<int:pk>/import-now/", imports.import_now, name="import-now"),
    path("jobs/<int:pk>/undo-import/", imports.undo, name="undo-import"),
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

words_urls: list[URLPattern] = [
    path("projects/<slug:slug>/glossary/", glossary.glossary, name="glossary"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/glossary\.(?P<extension>csv|tbx|dct\.tbx)$",
        glossary.download,
        name="download-glossary",
    ),
    path("projects/<slug:slug>/glossary/add/", glossary.add, name="add-term"),
    path("projects/<slug:slug>/glossary/import/", term_views.import_terms, name="import-terms"),
    path("projects/<slug:slug>/glossary/propose/", proposals.propose, name="propose-term"),
    path("projects/<slug:slug>/glossary/proposals/", proposals.proposals, name="term-proposals"),
    path(
        "projects/<slug:slug>/glossary/proposals/<int:pk>/",
        proposals.decide,
        name="decide-term",
    ),
    path("projects/<slug:slug>/glossary/<int:pk>/", glossary.term, name="term"),
    path("projects/<slug:slug>/glossary/<int:pk>/remove/", glossary.remove, name="remove-term"),
    path("projects/<slug:slug>/concordance/", memory.search, name="concordance"),
    path("projects/<slug:slug>/memory/", memory.memory, name="memory"),
]

_JOBS = "projects/<slug:slug>/translation-jobs"
translating_urls: list[URLPattern] = [
    path(f"{_JOBS}/", translating.job_list, name="translation-jobs"),
    path(f"{_JOBS}/start/", translating.start, name="start-translation"),
    path(f"{_JOBS}/system/", translating.system, name="translation-system"),
    path(f"{_JOBS}/prompt/", translating.prompt, name="translation-prompt"),
    path(f"{_JOBS}/<int:pk>/", translating.detail, name="translation-job"),
    *job_paths(_JOBS, TRANSLATION),
    path(f"{_JOBS}/hidden-items/<int:pk>/", translating.allow_hidden, name="allow-hidden-items"),
]

_MAKING = "projects/<slug:slug>/making-jobs"
making_urls: list[URLPattern] = [
    path("projects/<slug:slug>/make-items/", making.make, name="make-items"),
    path(f"{_MAKING}/", making_jobs.job_list, name="making-jobs"),
    path(f"{_MAKING}/start/", making_jobs.start, name="start-making"),
    path(f"{_MAKING}/prompt/", making_jobs.prompt, name="making-prompt"),
    path(f"{_MAKING}/<int:pk>/", making_jobs.detail, name="making"),
    *job_paths(_MAKING, MAKING),
]

_SAMPLING = "projects/<slug:slug>/sampling-jobs"
sampling_urls: list[URLPattern] = [
    path(f"{_SAMPLING}/", sampling_jobs.job_list, name="sampling-jobs"),
    path(f"{_SAMPLING}/start/", sampling_jobs.start, name="start-sampling"),
    path(f"{_SAMPLING}/prompt/", sampling_jobs.prompt, name="sampling-prompt"),
    path(f"{_SAMPLING}/<int:pk>/", sampling_jobs.detail, name="sampling"),
    *job_paths(_SAMPLING, SAMPLING),
]

_SCREENINGS = "projects/<slug:slug>/screenings"
screening_urls: list[URLPattern] = [
    path(f"{_SCREENINGS}/", screening.job_list, name="screenings"),
    path(f"{_SCREENINGS}/start/", screening.start, name="start-screening"),
    path(f"{_SCREENINGS}/prompts/<slug:screen>/", screening.prompt, name="screening-prompt"),
    path(f"{_SCREENINGS}/<int:pk>/", screening.detail, name="screening"),
    path(f"{_SCREENINGS}/<int:pk>/opinions/", screening.opinions, name="opinions"),
    *job_paths(_SCREENINGS, SCREENING),
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
