"""The tables of `review`, by topic."""

from review.models.answers import Answer, ComparedText, KeyAdjudication, StatedAnswer
from review.models.bulk import BulkChange, BulkExclusion
from review.models.choices import ChosenText, TextChoice
from review.models.comments import Comment, Mention
from review.models.controls import Control
from review.models.disputes import Adjudication, DisputeVisit, Reopening, Substitute
from review.models.inquiries import Inquiry, Passage
from review.models.judgements import Judgement, Skip, Suggestion, Withdrawal
from review.models.panels import Assignment, ExpiredClaim, Panel, Reveal
from review.models.repairs import RepairBatch, RepairedText
from review.models.rounds import Guideline, ReliabilityEstimate, Round, RoundChoice, RoundTables
from review.models.statements import StatedJudgement, WorkStatement, WorkStatementLine

__all__ = [
    "Adjudication",
    "Answer",
    "Assignment",
    "BulkChange",
    "BulkExclusion",
    "ChosenText",
    "Comment",
    "ComparedText",
    "Control",
    "DisputeVisit",
    "ExpiredClaim",
    "Guideline",
    "Inquiry",
    "Judgement",
    "KeyAdjudication",
    "Mention",
    "Panel",
    "Passage",
    "ReliabilityEstimate",
    "Reopening",
    "RepairBatch",
    "RepairedText",
    "Reveal",
    "Round",
    "RoundChoice",
    "RoundTables",
    "Skip",
    "StatedAnswer",
    "StatedJudgement",
    "Substitute",
    "Suggestion",
    "TextChoice",
    "Withdrawal",
    "WorkStatement",
    "WorkStatementLine",
]
