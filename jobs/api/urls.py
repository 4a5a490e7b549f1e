"""API addresses of jobs under /api/v1/."""

from django.urls import path

from jobs.api import views

urlpatterns = [
    path("jobs/<int:pk>/", views.JobView.as_view(), name="job"),
    path("jobs/<int:pk>/cancel/", views.CancelJobView.as_view(), name="cancel-job"),
    path("jobs/<int:pk>/resume/", views.ResumeJobView.as_view(), name="resume-job"),
]
