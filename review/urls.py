"""Page addresses of `review`."""

from django.urls import path, re_path

from annotation.asking.urls import job_paths
from review.answers.views import answering, results
from review.bulk import views as bulk
from review.choosing.views import choosing
from review.choosing.views import items as text_choices
from review.comments import views as comments
from review.disputes.views import adjudications, disputes, inquiries, key_disputes
from review.explaining import views as explaining
from review.explaining.actions import EXPLAINING
from review.guidelines.views import criteria, guidelines, passages
from review.items import views as items
from review.people.views import statements, work
from review.practice import views as practice
from review.repairs import views as repairs
from review.report import views as report
from review.rounds.views import rounds, running
from review.screening import views as screening
from review.workbench import views as workbench

app_name = "review"
_EXPLAINING = "projects/<slug:slug>/explanation-jobs"
urlpatterns = [
    # The workbench comes first: the fewer addresses are tried before these, the sooner they are found.
    path(
        "projects/<slug:slug>/rounds/<int:number>/workbench/", workbench.workbench, name="workbench"
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/workbench/shell/", workbench.shell, name="shell"
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/judge/",
        workbench.old_address,
        name="old-workbench",
    ),
    path("projects/<slug:slug>/rounds/<int:number>/reserve/", workbench.reserve, name="reserve"),
    path("projects/<slug:slug>/rounds/<int:number>/check/", workbench.check, name="check-seat"),
    path(
        "projects/<slug:slug>/rounds/<int:number>/proposals/", workbench.proposals, name="proposals"
    ),
    path("projects/<slug:slug>/rounds/<int:number>/undo/", workbench.undo, name="undo"),
    path("projects/<slug:slug>/rounds/<int:number>/suggest/", workbench.suggest, name="suggest"),
    path("projects/<slug:slug>/rounds/<int:number>/claim/", workbench.claim, name="claim"),
    path("projects/<slug:slug>/rounds/<int:number>/submit/", workbench.submit, name="submit"),
    path("projects/<slug:slug>/rounds/<int:number>/skip/", workbench.skip, name="skip"),
    path("projects/<slug:slug>/rounds/<int:number>/unskip/", workbench.unskip, name="unskip"),
    path("projects/<slug:slug>/rounds/<int:number>/reveal/", workbench.reveal, name="reveal"),
    path("my-work/", work.my_work, name="my-work"),
    re_path(r"^my-work\.(?P<name>csv|jsonl)$", work.my_work_file, name="my-work-file"),
    path("my-work/answers/", work.my_answers, name="my-answers"),
    re_path(
        r"^my-work/answers\.(?P<name>csv|jsonl)$", work.my_answers_file, name="my-answers-file"
    ),
    path("projects/<slug:slug>/statements/", statements.statements, name="statements"),
    path("projects/<slug:slug>/statements/<str:month>/", statements.statement, name="statement"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/statements/(?P<month>[0-9]{4}-[0-9]{2})\.(?P<name>csv|json)$",
        statements.statement_file,
        name="statement-file",
    ),
    path(
        "projects/<slug:slug>/statements/<str:month>/close/",
        statements.close,
        name="close-statement",
    ),
    path("projects/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("projects/<slug:slug>/rounds/open/", rounds.open_round_page, name="open-round"),
    path(f"{_EXPLAINING}/", explaining.job_list, name="explanation-jobs"),
    path(f"{_EXPLAINING}/start/", explaining.start, name="start-explaining"),
    path(f"{_EXPLAINING}/prompt/", explaining.prompt, name="explaining-prompt"),
    path(f"{_EXPLAINING}/<int:pk>/", explaining.detail, name="explaining"),
    *job_paths(_EXPLAINING, EXPLAINING),
    path(
        "projects/<slug:slug>/screenings/calibration/",
        screening.calibration,
        name="screen-calibration",
    ),
    path("projects/<slug:slug>/practice/", practice.practice, name="practice"),
    path("projects/<slug:slug>/practice/<int:number>/", practice.practice, name="practice-item"),
    path("projects/<slug:slug>/criteria/", criteria.criteria, name="criteria"),
    path("projects/<slug:slug>/rounds/guideline/", guidelines.guideline, name="guideline"),
    path("projects/<slug:slug>/report/", report.report_page, name="report"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/report/"
        r"(?P<table>stages|systems|candidates|subjects|categories|criteria|reviewers|pairs)\."
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
        "projects/<slug:slug>/rounds/<int:number>/pause/",
        running.pause_round_page,
        name="pause-round",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/resume/",
        running.resume_round_page,
        name="resume-round",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/change/",
        running.change_round_page,
        name="change-round",
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
    path("projects/<slug:slug>/items/<int:pk>/history/", items.history, name="item-history"),
    path("projects/<slug:slug>/items/<int:pk>/text/", items.text, name="item-text"),
    path("projects/<slug:slug>/disputes/", disputes.queue, name="disputes"),
    path("projects/<slug:slug>/disputes/offline/", disputes.offline, name="disputes-offline"),
    path("projects/<slug:slug>/disputes/settled/", adjudications.settled, name="settled-disputes"),
    path("projects/<slug:slug>/disputes/bulk/", adjudications.bulk, name="bulk-disputes"),
    path("projects/<slug:slug>/disputes/blocked/", adjudications.blocked, name="blocked-disputes"),
    path("projects/<slug:slug>/disputes/<int:pk>/", disputes.dispute, name="dispute"),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/adjudicate/",
        disputes.adjudicate,
        name="adjudicate",
    ),
    path("projects/<slug:slug>/disputes/<int:pk>/check/", disputes.check, name="check-dispute"),
    path("projects/<slug:slug>/disputes/<int:pk>/visit/", disputes.visit, name="visit-dispute"),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/reopen/",
        adjudications.reopen,
        name="reopen-dispute",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/substitutes/",
        adjudications.substitutes,
        name="name-substitutes",
    ),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/substitute/",
        adjudications.substitute,
        name="name-substitute",
    ),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/second-look/",
        inquiries.ask_again,
        name="ask-second-look",
    ),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/further-seat/",
        inquiries.further_seat,
        name="further-seat",
    ),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/take-back/",
        inquiries.take_back,
        name="take-back-inquiry",
    ),
    path("second-looks/", inquiries.second_looks, name="second-looks"),
    path("second-looks/<int:pk>/", inquiries.second_look, name="second-look"),
    path("projects/<slug:slug>/adjudications/<int:pk>/passage/", passages.passage, name="passage"),
    path(
        "projects/<slug:slug>/passages/<int:pk>/decide/",
        passages.decide,
        name="decide-passage",
    ),
    path("projects/<slug:slug>/items/<int:pk>/comments/", comments.comments, name="comments"),
    path(
        "projects/<slug:slug>/comments/<int:pk>/resolve/", comments.resolve, name="resolve-thread"
    ),
    path("projects/<slug:slug>/comments/<int:pk>/reopen/", comments.reopen, name="reopen-thread"),
    path("projects/<slug:slug>/names/", comments.names, name="names"),
    path("projects/<slug:slug>/rounds/<int:number>/answer/", answering.answer, name="answer"),
    path("projects/<slug:slug>/rounds/<int:number>/answer/take/", answering.take, name="take"),
    path("projects/<slug:slug>/rounds/<int:number>/answer/send/", answering.send, name="send"),
    path(
        "projects/<slug:slug>/rounds/<int:number>/answer/skip/",
        answering.skip,
        name="skip-answer",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/answer/undo/",
        answering.undo,
        name="undo-answer",
    ),
    path("projects/<slug:slug>/rounds/<int:number>/results/", results.results, name="results"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/rounds/(?P<number>[0-9]{1,5})/results\."
        r"(?P<name>csv|latex|markdown|json)$",
        results.results_file,
        name="results-file",
    ),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/rounds/(?P<number>[0-9]{1,5})/answers\.(?P<name>csv|jsonl)$",
        results.answers_file,
        name="answers-file",
    ),
    path(
        "projects/<slug:slug>/disputes/<int:pk>/key/",
        key_disputes.key_dispute,
        name="key-dispute",
    ),
    path(
        "projects/<slug:slug>/translations/items/",
        text_choices.choose_items,
        name="choose-items",
    ),
    path(
        "projects/<slug:slug>/translations/items/best/",
        text_choices.choose_best,
        name="choose-best",
    ),
    path(
        "projects/<slug:slug>/translations/items/<int:pk>/",
        text_choices.choose_one,
        name="choose-text",
    ),
    path(
        "projects/<slug:slug>/translations/choices/<int:pk>/undo/",
        text_choices.undo,
        name="undo-choice",
    ),
    path("projects/<slug:slug>/items/bulk/", bulk.change, name="bulk-change"),
    path("projects/<slug:slug>/items/bulk/<int:pk>/undo/", bulk.undo, name="undo-bulk-change"),
    path(
        "projects/<slug:slug>/translations/choose/",
        choosing.choose,
        name="choose-translations",
    ),
    path("projects/<slug:slug>/repairs/", repairs.repairs, name="repairs"),
    path("projects/<slug:slug>/repairs/<int:pk>/", repairs.repair_batch, name="repair-batch"),
    path("projects/<slug:slug>/repairs/<int:pk>/undo/", repairs.undo, name="undo-repairs"),
]
