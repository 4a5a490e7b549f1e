"""What a judge is asked about one response, and the hash by which equal answers share a reply."""

from endpoints.connections import address_of
from endpoints.parameters import epoch_parameters
from endpoints.providers.base import ChatRequest, request_hash
from evaluation.contents import is_blank
from evaluation.judging.rubric import judge_messages
from evaluation.models import AnswerJudging, ModelResponse
from scoring.scorers.reasoning import answer_text


def has_text(response: ModelResponse) -> bool:
    """Return whether there is anything to judge; a response of reasoning alone is not sent."""
    return not is_blank(answer_text(response.text))


def judge_request(judging: AnswerJudging, response: ModelResponse, attempt: int) -> ChatRequest:
    """Return what the judge is asked about a response; it does not see the reasoning."""
    revision, spec = response.release_item.revision, judging.model_spec
    messages = judge_messages(
        judging.rubric,
        question=revision.question,
        reference=revision.answer,
        response=answer_text(response.text),
    )
    return ChatRequest(spec.model, messages, epoch_parameters(spec.parameters, attempt))


def question_of(judging: AnswerJudging, response: ModelResponse) -> str:
    """Return the hash of the first request about a response."""
    return request_hash(
        address_of(judging.model_spec.endpoint), judge_request(judging, response, 1)
    )
