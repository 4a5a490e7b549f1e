"""The tables of `annotation`, by topic."""

from annotation.models.duplicates import (
    DuplicateCluster,
    DuplicatePair,
    DuplicateSearch,
    SearchedBlock,
)
from annotation.models.imports import ImportBatch, ImportJob, ImportMapping
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
from annotation.models.making import MadePair, MakingCall, MakingJob
from annotation.models.sampling import PooledPrompt, SamplingCall, SamplingJob
from annotation.models.saved_filters import SavedFilter
from annotation.models.screening import Opinion, ScreeningCall, ScreeningJob, ScreenThreshold
from annotation.models.terms import Term, TermProposal
from annotation.models.translating import TranslatedItem, TranslationCall, TranslationJob

__all__ = [
    "DuplicateCluster",
    "DuplicatePair",
    "DuplicateSearch",
    "Finding",
    "ImportBatch",
    "ImportJob",
    "ImportMapping",
    "Item",
    "ItemSearchText",
    "ItemStateChange",
    "KeyChange",
    "MadePair",
    "MakingCall",
    "MakingJob",
    "Opinion",
    "PooledPrompt",
    "Revision",
    "SamplingCall",
    "SamplingJob",
    "SavedFilter",
    "ScreenThreshold",
    "ScreeningCall",
    "ScreeningJob",
    "SearchedBlock",
    "Term",
    "TermProposal",
    "TranslatedItem",
    "Translation",
    "TranslationCall",
    "TranslationJob",
    "TranslationSearchText",
]
