"""The tables of `annotation`, by topic."""

from annotation.models.duplicates import (
    DuplicateCluster,
    DuplicatePair,
    DuplicateSearch,
    SearchedBlock,
)
from annotation.models.imports import ImportBatch, ImportJob
from annotation.models.items import (
    Finding,
    Item,
    ItemSearchText,
    ItemStateChange,
    KeyChange,
    Revision,
    Translation,
    TranslationSearchText,
)
from annotation.models.terms import Term, TermProposal

__all__ = [
    "DuplicateCluster",
    "DuplicatePair",
    "DuplicateSearch",
    "Finding",
    "ImportBatch",
    "ImportJob",
    "Item",
    "ItemSearchText",
    "ItemStateChange",
    "KeyChange",
    "Revision",
    "SearchedBlock",
    "Term",
    "TermProposal",
    "Translation",
    "TranslationSearchText",
]
