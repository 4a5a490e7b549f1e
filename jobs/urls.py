"""Page addresses of jobs."""

from django.urls import path

from jobs import views

app_name = "jobs"

urlpatterns = [
    path("jobs/<int:pk>/", views.job, name="job"),
    path("jobs/<int:pk>/cancel/", views.cancel, name="cancel-job"),
    path("jobs/<int:pk>/resume/", views.resume, name="resume-job"),
]
