"""API addresses of projects under /api/v1/."""

from django.urls import path

from projects.api import (
    accounts,
    audit,
    contributors,
    members,
    offers,
    pay,
    sources,
    subjects,
    views,
)

urlpatterns = [
    path("me/", views.MeView.as_view(), name="me"),
    path("projects/", views.ProjectListView.as_view(), name="projects"),
    path("projects/<slug:slug>/", views.ProjectView.as_view(), name="project"),
    path("projects/<slug:slug>/members/", views.MemberListView.as_view(), name="members"),
    path(
        "projects/<slug:slug>/members/invitations/",
        members.InvitationListView.as_view(),
        name="invitations",
    ),
    path(
        "projects/<slug:slug>/members/<int:pk>/invite-again/",
        members.InviteAgainView.as_view(),
        name="invite-again",
    ),
    path("projects/<slug:slug>/work-offer/", offers.OfferView.as_view(), name="work-offer"),
    path(
        "projects/<slug:slug>/members/<int:pk>/pay-rates/",
        pay.PayRateListView.as_view(),
        name="pay-rates",
    ),
    path("projects/<slug:slug>/members/<int:pk>/", views.MemberView.as_view(), name="member"),
    path(
        "projects/<slug:slug>/members/<int:pk>/pause/",
        views.PauseMemberView.as_view(),
        name="pause-member",
    ),
    path(
        "projects/<slug:slug>/members/<int:pk>/resume/",
        views.ResumeMemberView.as_view(),
        name="resume-member",
    ),
    path(
        "projects/<slug:slug>/contributor/",
        contributors.ContributorView.as_view(),
        name="contributor",
    ),
    path("projects/<slug:slug>/sources/", sources.SourceListView.as_view(), name="sources"),
    path("projects/<slug:slug>/sources/<int:pk>/", sources.SourceView.as_view(), name="source"),
    path("projects/<slug:slug>/subjects/", subjects.SubjectListView.as_view(), name="subjects"),
    path(
        "projects/<slug:slug>/audit-events/",
        audit.ProjectAuditEventListView.as_view(),
        name="project-audit-events",
    ),
    path(
        "projects/<slug:slug>/audit-events/export/",
        audit.ProjectAuditExportView.as_view(),
        name="project-audit-export",
    ),
    path("accounts/", accounts.AccountListView.as_view(), name="accounts"),
    path("accounts/<int:pk>/", accounts.AccountView.as_view(), name="account"),
    path(
        "accounts/<int:pk>/deactivate/",
        accounts.DeactivateAccountView.as_view(),
        name="deactivate-account",
    ),
    path(
        "accounts/<int:pk>/reactivate/",
        accounts.ReactivateAccountView.as_view(),
        name="reactivate-account",
    ),
    path(
        "accounts/<int:pk>/make-administrator/",
        accounts.MakeAdministratorView.as_view(),
        name="make-administrator",
    ),
    path(
        "accounts/<int:pk>/remove-administrator/",
        accounts.RemoveAdministratorView.as_view(),
        name="remove-administrator",
    ),
    path("sign-ins/export/", accounts.SignInExportView.as_view(), name="sign-ins-export"),
    path("audit-events/export/", audit.AuditExportView.as_view(), name="audit-export"),
    path("sign-ins/", accounts.SignInListView.as_view(), name="sign-ins"),
    path("audit-events/", audit.AuditEventListView.as_view(), name="audit-events"),
]
