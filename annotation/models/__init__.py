"""The tables of `annotation`, by topic."""

from annotation.models.duplicates import DuplicatePair, DuplicateSearch, SearchedBlock
from annotation.models.imports import ImportJob
from annotation.models.items import Finding, Item, Revision, Translation
from annotation.models.projects import Membership, Project, Source, Subject

__all__ = [
    "DuplicatePair",
    "DuplicateSearch",
    "Finding",
    "ImportJob",
    "Item",
    "Membership",
    "Project",
    "Revision",
    "SearchedBlock",
    "Source",
    "Subject",
    "Translation",
]
