"""The command `create_model`: what it prints and how it refuses."""

import pytest
from django.core.management import CommandError

from projects.models import Project
from tests.commands import printed

pytestmark = pytest.mark.django_db


def test_create_model_prints_what_it_stored(project: Project) -> None:
    base = ("create_model", "ti", "m", "--base-url", "http://127.0.0.1:9/v1/", "--model", "x")

    first = printed(
        *base, "--param", "temperature=0", "--param", "stop=x",
        "--requests-per-minute", "30", "--size", "0.50", "--cutoff", "2024-06", "--batch-factor", "0.40",
    )  # fmt: skip

    assert first == {
        "project": "ti", "name": "m", "revision": 1, "endpoint": "127.0.0.1-9",
        "base_url": "http://127.0.0.1:9/v1", "model": "x", "parameters": {"temperature": 0, "stop": "x"},
        "requests_per_minute": 30, "prompt_price": None, "completion_price": None,
        "size": "0.5", "cutoff": "2024-06", "tuned_from": "", "batch_factor": "0.4",
    }  # fmt: skip
    named = ("create_model", "ti", "m", "--endpoint", "127.0.0.1-9", "--model", "x")
    assert printed(*named, "--revise")["revision"] == 2
    chat = ("create_model", "ti", "c", "--endpoint", "127.0.0.1-9", "--model", "x-chat")
    assert printed(*chat, "--tuned-from", "m")["tuned_from"] == "m"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("nobody", "m", "--base-url", "http://a/v1", "--model", "x"), 1, "no project"),
        (("ti", "m", "--base-url", "ftp://a", "--model", "x"), 1, "must begin with http"),
        (("ti", "m", "--base-url", "http://a/v1", "--model", "x", "--revise"), 1, "no model"),
        (
            ("ti", "m", "--base-url", "http://a/v1", "--model", "x", "--tuned-from", "m"),
            1,
            "another",
        ),
        (("ti", "m", "--base-url", "http://a/v1", "--model", "x", "--param", "y"), 2, "NAME=VALUE"),
        (("m", "--model", "x", "--batch-factor", "nan"), 1, "'nan' is not a number"),
        (("m", "--model", "x", "--size", "big"), 1, "'big' is not a number"),
    ],
)
def test_create_model_refuses_in_words(
    project: Project, arguments: tuple[str, ...], code: int, message: str
) -> None:
    with pytest.raises(CommandError, match=message) as refusal:
        printed("create_model", *arguments)
    assert refusal.value.returncode == code
