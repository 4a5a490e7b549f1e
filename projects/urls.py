"""Page addresses of projects and their people."""

from django.urls import path

from projects.views import (
    accounts,
    audit,
    contributors,
    members,
    offers,
    pay,
    projects,
    sources,
    subjects,
)

app_name = "projects"

urlpatterns = [
    path("new-project/", projects.new_project, name="new-project"),
    path("projects/<slug:slug>/settings/", projects.settings, name="settings"),
    path("projects/<slug:slug>/members/", members.members, name="members"),
    path("projects/<slug:slug>/members/invite/", members.invite_member, name="invite-member"),
    path("projects/<slug:slug>/members/invite-many/", members.invite_many, name="invite-many"),
    path("projects/<slug:slug>/members/<int:pk>/", members.member, name="member"),
    path("projects/<slug:slug>/members/offer/", offers.offer, name="offer"),
    path("projects/<slug:slug>/members/<int:pk>/pay/", pay.pay, name="pay"),
    path(
        "projects/<slug:slug>/members/<int:pk>/remove/",
        members.remove_member,
        name="remove-member",
    ),
    path("projects/<slug:slug>/members/<int:pk>/pause/", members.pause_member, name="pause-member"),
    path(
        "projects/<slug:slug>/members/<int:pk>/resume/",
        members.resume_member,
        name="resume-member",
    ),
    path(
        "projects/<slug:slug>/members/<int:pk>/invite-again/",
        members.invite_again,
        name="invite-again",
    ),
    path("projects/<slug:slug>/contributor/", contributors.contributor, name="contributor"),
    path("projects/<slug:slug>/sources/", sources.sources, name="sources"),
    path("projects/<slug:slug>/sources/<int:pk>/", sources.source, name="source"),
    path("projects/<slug:slug>/subjects/", subjects.subjects, name="subjects"),
    path("projects/<slug:slug>/subjects.csv", subjects.subjects_csv, name="subjects-csv"),
    path("projects/<slug:slug>/audit/", audit.project_audit, name="project-audit"),
    path("projects/<slug:slug>/audit.csv", audit.project_audit_csv, name="project-audit-csv"),
    path("accounts/", accounts.accounts, name="accounts"),
    path("accounts/<int:pk>/", accounts.account, name="account"),
    path("accounts/<int:pk>/deactivate/", accounts.deactivate_account, name="deactivate-account"),
    path("accounts/<int:pk>/reactivate/", accounts.reactivate_account, name="reactivate-account"),
    path(
        "accounts/<int:pk>/make-administrator/",
        accounts.make_administrator,
        name="make-administrator",
    ),
    path(
        "accounts/<int:pk>/remove-administrator/",
        accounts.remove_administrator,
        name="remove-administrator",
    ),
    path("sign-ins/", accounts.sign_ins, name="sign-ins"),
    path("sign-ins.csv", accounts.sign_ins_csv, name="sign-ins-csv"),
    path("audit/", audit.audit, name="audit"),
    path("audit.csv", audit.audit_csv, name="audit-csv"),
]
