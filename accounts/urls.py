"""Page addresses of `accounts`."""

from django.contrib.auth.decorators import login_not_required
from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("sign-out/", login_not_required(views.SignOut.as_view()), name="sign-out"),
    path("signed-in/", views.signed_in, name="signed-in"),
    path("send-again/", views.send_again, name="send-again"),
    path("invitations/<str:secret>/", views.invitation, name="invitation"),
    path("language/", login_not_required(views.language), name="language"),
    path("profile/", views.profile, name="profile"),
    path("password/", views.ChangePassword.as_view(), name="password"),
    path("password-reset/", views.reset_password, name="password-reset"),
    path("password-reset/sent/", views.ResetPasswordSent.as_view(), name="password-reset-sent"),
    path(
        "password-reset/<uidb64>/<token>/",
        views.ResetPasswordConfirm.as_view(),
        name="password-reset-confirm",
    ),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", views.revoke, name="revoke-token"),
]
