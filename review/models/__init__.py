"""The tables of `review`, by topic."""

from review.models.answers import Answer, ComparedText, KeyRuling, StatedAnswer
from review.models.disputes import Adjudication, DisputeVisit, Reopening, Substitute
from review.models.judgements import Judgement, Skip, Suggestion, Withdrawal
from review.models.panels import Assignment, ExpiredClaim, Panel
from review.models.rounds import Guideline, ReliabilityEstimate, Round, RoundChoice, RoundTables
from review.models.statements import StatedJudgement, WorkStatement, WorkStatementLine

__all__ = [
    "Adjudication",
    "Answer",
    "Assignment",
    "ComparedText",
    "DisputeVisit",
    "ExpiredClaim",
    "Guideline",
    "Judgement",
    "KeyRuling",
    "Panel",
    "ReliabilityEstimate",
    "Reopening",
    "Round",
    "RoundChoice",
    "RoundTables",
    "Skip",
    "StatedAnswer",
    "StatedJudgement",
    "Substitute",
    "Suggestion",
    "Withdrawal",
    "WorkStatement",
    "WorkStatementLine",
]
