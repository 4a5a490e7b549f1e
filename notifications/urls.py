"""Page addresses of `notifications`."""

from django.urls import path

from notifications import views

app_name = "notifications"
urlpatterns = [
    path("", views.notifications, name="list"),
    path("<int:pk>/follow/", views.follow, name="follow"),
    path("read/", views.read_all, name="read-all"),
    path("digest/", views.digest, name="digest"),
    path("unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
]
