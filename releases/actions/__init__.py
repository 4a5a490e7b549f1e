"""Every write to releases, by topic."""

from releases.actions.building import build_release, perform_build
from releases.actions.details import DetailsRequest, change_details
from releases.actions.publishing import publish_release, yank_release
from releases.actions.requests import BuildRequest, cancel_build, resume_build, start_build

__all__ = [
    "BuildRequest",
    "DetailsRequest",
    "build_release",
    "cancel_build",
    "change_details",
    "perform_build",
    "publish_release",
    "resume_build",
    "start_build",
    "yank_release",
]
