"""API addresses of `review` under /api/v1/."""

from django.urls import path

from review.answers.api import answers
from review.bulk import api as bulk
from review.choosing import api as choosing
from review.comments import api as comments
from review.disputes.api import adjudications, disputes, inquiries, key_disputes
from review.disputes.api import details as dispute_details
from review.disputes.api import text_checks as disputes_text_checks
from review.explaining import api as explaining
from review.guidelines.api import criteria, guidelines, passages
from review.items import api as items
from review.people.api import answer_work, statements, work
from review.practice import api as practice
from review.repairs import api as repairs
from review.report import api as reports
from review.rounds.api import views as rounds
from review.screening import api as screening
from review.workbench.api import judgements, proposals, text_checks, views

_EXPLAINING = "projects/<slug:slug>/explanation-jobs"
urlpatterns = [
    path("me/work/", work.WorkListView.as_view(), name="my-work"),
    path("me/work/months/", work.WorkMonthListView.as_view(), name="my-work-months"),
    path("me/work/answers/", answer_work.AnswerWorkListView.as_view(), name="my-answers"),
    path(
        "me/work/answers/export/",
        answer_work.AnswerWorkExportView.as_view(),
        name="my-answers-export",
    ),
    path("me/work/export/", work.WorkExportView.as_view(), name="my-work-export"),
    path("me/statements/", statements.OwnStatementListView.as_view(), name="own-statements"),
    path(
        "projects/<slug:slug>/statements/",
        statements.StatementListView.as_view(),
        name="statements",
    ),
    path(
        "projects/<slug:slug>/statements/<str:month>/",
        statements.StatementView.as_view(),
        name="statement",
    ),
    path(
        "projects/<slug:slug>/statements/<str:month>/export/",
        statements.StatementExportView.as_view(),
        name="statement-export",
    ),
    path(
        "projects/<slug:slug>/statements/<str:month>/close/",
        statements.CloseStatementView.as_view(),
        name="close-statement",
    ),
    path("projects/<slug:slug>/rounds/", rounds.RoundListView.as_view(), name="rounds"),
    path(
        "projects/<slug:slug>/rounds/preview/",
        rounds.RoundPreviewView.as_view(),
        name="round-preview",
    ),
    path(f"{_EXPLAINING}/", explaining.ExplanationJobListView.as_view(), name="explanation-jobs"),
    path(
        f"{_EXPLAINING}/prompt/",
        explaining.ExplanationPromptView.as_view(),
        name="explaining-prompt",
    ),
    path(f"{_EXPLAINING}/<int:pk>/", explaining.ExplanationJobView.as_view(), name="explaining"),
    path(
        f"{_EXPLAINING}/<int:pk>/failed/",
        explaining.UnexplainedListView.as_view(),
        name="unexplained-items",
    ),
    path(
        f"{_EXPLAINING}/<int:pk>/cancel/",
        explaining.ExplanationJobCancelView.as_view(),
        name="explaining-cancel",
    ),
    path(
        f"{_EXPLAINING}/<int:pk>/resume/",
        explaining.ExplanationJobResumeView.as_view(),
        name="explaining-resume",
    ),
    path(
        "projects/<slug:slug>/screenings/calibration/",
        screening.CalibrationView.as_view(),
        name="screen-calibration",
    ),
    path(
        "projects/<slug:slug>/screenings/doubted/",
        screening.DoubtedView.as_view(),
        name="doubted-items",
    ),
    path("projects/<slug:slug>/practice/", practice.PracticeView.as_view(), name="practice"),
    path(
        "projects/<slug:slug>/practice/<int:number>/",
        practice.PracticeJudgementView.as_view(),
        name="practice-item",
    ),
    path("projects/<slug:slug>/criteria/", criteria.CriteriaView.as_view(), name="criteria"),
    path(
        "projects/<slug:slug>/guidelines/",
        guidelines.GuidelineListView.as_view(),
        name="guidelines",
    ),
    path("rounds/<int:pk>/", rounds.RoundView.as_view(), name="round"),
    path("rounds/<int:pk>/pause/", rounds.RoundPauseView.as_view(), name="round-pause"),
    path("rounds/<int:pk>/resume/", rounds.RoundResumeView.as_view(), name="round-resume"),
    path("rounds/<int:pk>/close/", rounds.RoundCloseView.as_view(), name="round-close"),
    path("rounds/<int:pk>/claim/", views.ClaimView.as_view(), name="claim"),
    path("assignments/<int:pk>/judgement/", views.JudgementView.as_view(), name="judgement"),
    path("assignments/<int:pk>/skip/", views.SkipView.as_view(), name="skip"),
    path("assignments/<int:pk>/skip/undo/", views.UndoSkipView.as_view(), name="undo-skip"),
    path("rounds/<int:pk>/reserve/", views.ReserveView.as_view(), name="reserve"),
    path("assignments/<int:pk>/suggestion/", views.SuggestionView.as_view(), name="suggestion"),
    path("judgements/<int:pk>/withdraw/", views.WithdrawView.as_view(), name="withdraw"),
    path("assignments/<int:pk>/proposals/", proposals.ProposalsView.as_view(), name="proposals"),
    path("assignments/<int:pk>/check/", text_checks.CheckSeatView.as_view(), name="check-seat"),
    path(
        "disputes/<int:pk>/check/",
        disputes_text_checks.CheckDisputeView.as_view(),
        name="check-dispute",
    ),
    path(
        "projects/<slug:slug>/items/<int:pk>/check/",
        items.CheckItemView.as_view(),
        name="check-text",
    ),
    path("assignments/<int:pk>/renew/", views.RenewView.as_view(), name="renew"),
    path("rounds/<int:pk>/discard/", rounds.RoundDiscardView.as_view(), name="round-discard"),
    path(
        "projects/<slug:slug>/judgements/",
        judgements.JudgementListView.as_view(),
        name="judgements",
    ),
    path(
        "projects/<slug:slug>/judgements/export/",
        judgements.JudgementExportView.as_view(),
        name="judgements-export",
    ),
    path(
        "projects/<slug:slug>/items/<int:pk>/history/",
        items.ItemHistoryView.as_view(),
        name="item-history",
    ),
    path(
        "projects/<slug:slug>/items/<int:pk>/text/", items.ItemTextView.as_view(), name="item-text"
    ),
    path("projects/<slug:slug>/disputes/", disputes.DisputeListView.as_view(), name="disputes"),
    path(
        "disputes/<int:pk>/adjudication/",
        disputes.AdjudicationView.as_view(),
        name="adjudication",
    ),
    path("disputes/<int:pk>/visit/", disputes.VisitView.as_view(), name="visit-dispute"),
    path("disputes/<int:pk>/reopening/", adjudications.ReopeningView.as_view(), name="reopening"),
    path(
        "rounds/<int:pk>/substitutes/",
        adjudications.SubstitutesView.as_view(),
        name="round-substitutes",
    ),
    path(
        "disputes/<int:pk>/substitute/", adjudications.SubstituteView.as_view(), name="substitute"
    ),
    path(
        "projects/<slug:slug>/disputes/settled/",
        adjudications.SettledListView.as_view(),
        name="settled-disputes",
    ),
    path(
        "projects/<slug:slug>/disputes/bulk/",
        adjudications.BulkView.as_view(),
        name="bulk-disputes",
    ),
    path(
        "projects/<slug:slug>/disputes/blocked/",
        adjudications.BlockedListView.as_view(),
        name="blocked-disputes",
    ),
    path("assignments/<int:pk>/reveal/", views.RevealView.as_view(), name="reveal"),
    path(
        "projects/<slug:slug>/reliability/", reports.ReliabilityView.as_view(), name="reliability"
    ),
    path("projects/<slug:slug>/report/", reports.ReportView.as_view(), name="report"),
    path(
        "projects/<slug:slug>/report/export/",
        reports.ReportExportView.as_view(),
        name="report-export",
    ),
    path(
        "projects/<slug:slug>/report/pairs/<str:first>/<str:second>/",
        reports.PairView.as_view(),
        name="pair",
    ),
    path(
        "projects/<slug:slug>/report/questions/",
        reports.QuestionListView.as_view(),
        name="report-questions",
    ),
    path("disputes/<int:pk>/", dispute_details.DisputeView.as_view(), name="dispute"),
    path(
        "disputes/<int:pk>/second-look/",
        inquiries.SecondLookAskView.as_view(),
        name="ask-second-look",
    ),
    path(
        "disputes/<int:pk>/further-seat/", inquiries.FurtherSeatView.as_view(), name="further-seat"
    ),
    path("disputes/<int:pk>/take-back/", inquiries.TakeBackView.as_view(), name="take-back"),
    path("me/second-looks/", inquiries.SecondLookListView.as_view(), name="second-looks"),
    path(
        "second-looks/<int:pk>/",
        inquiries.SecondLookDetailView.as_view(),
        name="second-look-details",
    ),
    path(
        "second-looks/<int:pk>/judgement/", inquiries.SecondLookView.as_view(), name="second-look"
    ),
    path("projects/<slug:slug>/passages/", passages.PassageListView.as_view(), name="passages"),
    path("adjudications/<int:pk>/passage/", passages.PassageView.as_view(), name="passage"),
    path("passages/<int:pk>/decision/", passages.DecisionView.as_view(), name="decide-passage"),
    path(
        "projects/<slug:slug>/items/<int:pk>/comments/",
        comments.CommentListView.as_view(),
        name="comments",
    ),
    path(
        "projects/<slug:slug>/comments/<int:pk>/resolve/",
        comments.ResolveView.as_view(),
        name="resolve-thread",
    ),
    path(
        "projects/<slug:slug>/comments/<int:pk>/reopen/",
        comments.ReopenView.as_view(),
        name="reopen-thread",
    ),
    path("projects/<slug:slug>/names/", comments.NameListView.as_view(), name="names"),
    path("rounds/<int:pk>/take/", answers.TakeView.as_view(), name="take"),
    path("assignments/<int:pk>/answer/", answers.AnswerView.as_view(), name="answer"),
    path("assignments/<int:pk>/answer/skip/", answers.SkipAnswerView.as_view(), name="skip-answer"),
    path(
        "answers/<int:pk>/withdraw/", answers.WithdrawAnswerView.as_view(), name="withdraw-answer"
    ),
    path("rounds/<int:pk>/results/", answers.ResultsView.as_view(), name="results"),
    path(
        "rounds/<int:pk>/results/export/",
        answers.ResultsExportView.as_view(),
        name="results-export",
    ),
    path(
        "rounds/<int:pk>/answers/export/",
        answers.AnswerExportView.as_view(),
        name="answers-export",
    ),
    path("rounds/<int:pk>/answers/", answers.AnswerListView.as_view(), name="answers"),
    path("disputes/<int:pk>/key/", key_disputes.KeyAdjudicationView.as_view(), name="key-dispute"),
    path("projects/<slug:slug>/items/bulk/", bulk.BulkListView.as_view(), name="bulk-changes"),
    path(
        "projects/<slug:slug>/items/bulk/preview/",
        bulk.BulkPreviewView.as_view(),
        name="bulk-preview",
    ),
    path(
        "projects/<slug:slug>/items/bulk/<int:pk>/undo/",
        bulk.UndoBulkView.as_view(),
        name="undo-bulk-change",
    ),
    path(
        "projects/<slug:slug>/translations/choose/",
        choosing.ChooseTranslationsView.as_view(),
        name="choose-translations",
    ),
    path(
        "projects/<slug:slug>/translations/items/",
        choosing.ItemsToChooseView.as_view(),
        name="choose-items",
    ),
    path(
        "projects/<slug:slug>/translations/choices/",
        choosing.ChoiceListView.as_view(),
        name="choices",
    ),
    path(
        "projects/<slug:slug>/translations/choices/<int:pk>/undo/",
        choosing.UndoChoiceView.as_view(),
        name="undo-choice",
    ),
    path("projects/<slug:slug>/repairs/", repairs.RepairBatchListView.as_view(), name="repairs"),
    path(
        "projects/<slug:slug>/repairs/preview/",
        repairs.RepairPreviewView.as_view(),
        name="repair-preview",
    ),
    path(
        "projects/<slug:slug>/repairs/<int:pk>/",
        repairs.RepairBatchView.as_view(),
        name="repair-batch",
    ),
    path(
        "projects/<slug:slug>/repairs/<int:pk>/texts/",
        repairs.RepairedTextListView.as_view(),
        name="repaired-texts",
    ),
    path(
        "projects/<slug:slug>/repairs/<int:pk>/undo/",
        repairs.UndoRepairsView.as_view(),
        name="undo-repairs",
    ),
]
