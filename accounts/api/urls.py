"""API addresses of `accounts` under /api/v1/."""

from django.urls import path

from accounts.api import views

urlpatterns = [
    path("me/tokens/", views.TokenListView.as_view(), name="tokens"),
    path("me/sign-ins/", views.OwnSignInListView.as_view(), name="own-sign-ins"),
    path("me/tokens/<int:pk>/", views.TokenView.as_view(), name="token"),
]
