"""The tables of `evaluation`, by topic."""

from evaluation.models.audits import AuditedResponse, ExtractionAudit, ExtractionReading
from evaluation.models.items import ItemAnalysis, ItemFigure, ReviewSuggestion
from evaluation.models.judging import AnswerJudging, JudgeCall
from evaluation.models.min_k import MinKCall, MinKTest, MinKText
from evaluation.models.runs import ModelResponse, Run, Score
from evaluation.models.translations import TranslationScore

__all__ = [
    "AnswerJudging",
    "AuditedResponse",
    "ExtractionAudit",
    "ExtractionReading",
    "ItemAnalysis",
    "ItemFigure",
    "JudgeCall",
    "MinKCall",
    "MinKTest",
    "MinKText",
    "ModelResponse",
    "ReviewSuggestion",
    "Run",
    "Score",
    "TranslationScore",
]
