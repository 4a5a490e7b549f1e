"""Every write to releases, by topic."""

from releases.actions.audience import show_to_everybody, show_to_members
from releases.actions.building import build_release, perform_build
from releases.actions.details import DetailsRequest, change_details
from releases.actions.problems import Problem, accept_problem, dismiss_problem, report_problem
from releases.actions.publishing import publish_release, yank_release
from releases.actions.requests import BuildRequest, cancel_build, resume_build, start_build

__all__ = [
    "BuildRequest",
    "DetailsRequest",
    "Problem",
    "accept_problem",
    "build_release",
    "cancel_build",
    "change_details",
    "dismiss_problem",
    "perform_build",
    "publish_release",
    "report_problem",
    "resume_build",
    "show_to_everybody",
    "show_to_members",
    "start_build",
    "yank_release",
]
