"""What is wrong with a rubric."""

from prompts.rubrics import LONGEST_RUBRIC, rubric_fault

KNOWN = frozenset({"question", "response", "reference"})


def test_faults_of_rubrics() -> None:
    cases = {
        "{question} {response}": "",
        "{question} {response} {reference} {{x}}": "",
        "{question}": "response",
        "{question} {response} {key}": "key",
        "{question} {response} {": "braces",
        "{question!r} {response}": "braces",
        "{question:>9} {response}": "braces",
        "x" * (LONGEST_RUBRIC + 1): "length",
    }
    required = frozenset({"question", "response"})
    found = {text: rubric_fault(text, known=KNOWN, required=required) for text in cases}
    assert found == cases
