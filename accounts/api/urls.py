"""API addresses of `accounts` under /api/v1/."""

from django.urls import path

from accounts.api import views

urlpatterns = [
    path("me/tokens/", views.TokenListView.as_view(), name="tokens"),
    path("me/tokens/<int:pk>/", views.TokenView.as_view(), name="token"),
]
