"""compose.yaml, Containerfile and Caddyfile agree with each other and with the settings."""

import re
import shutil
import subprocess
from fnmatch import fnmatch

import pytest
from django.conf import settings
from django.urls import reverse

from config.bodies import UPLOADS, UPLOADS_FOR_JOBS
from jobs.enums import Queue
from tests.config.containers import ROOT, SERVICES

CADDYFILE = (ROOT / "Caddyfile").read_text("utf-8")
CONTAINERFILE = (ROOT / "Containerfile").read_text("utf-8")
OWN = (
    "migrate",
    "static",
    "web",
    "public-web",
    "worker",
    "calls-worker",
    "embed-worker",
    "submissions-worker",
    "submission-calls-worker",
)


def test_every_setting_of_a_container_is_one_of_ours() -> None:
    example = (ROOT / ".env.example").read_text("utf-8")
    names = {name for service in OWN for name in SERVICES[service]["environment"]}
    assert len(names) > 5
    assert [name for name in sorted(names) if f"{name}=" not in example] == []


def test_every_service_waits_for_one_that_is_there_and_says_when_it_is_ready() -> None:
    wanted = [
        (other, told["condition"])
        for service in SERVICES.values()
        for other, told in service.get("depends_on", {}).items()
    ]
    assert {name for name, _condition in wanted} <= set(SERVICES)
    healthy = {name for name, condition in wanted if condition == "service_healthy"}
    assert healthy == {name for name, service in SERVICES.items() if "healthcheck" in service}


def test_queues_of_the_workers_are_those_that_jobs_are_sent_to() -> None:
    commands = [SERVICES[name]["command"] for name in OWN if name.endswith("worker")]
    queues = {words[words.index("-Q") + 1] for words in commands}
    assert queues == set(Queue)
    assert settings.CELERY_TASK_DEFAULT_QUEUE in queues


def test_client_programs_are_of_the_version_of_the_database() -> None:
    version = SERVICES["database"]["image"].rpartition(":")[2]
    assert f"postgresql-client-{version} " in CONTAINERFILE


def test_proxy_lets_a_large_body_through_where_files_are_taken_alone() -> None:
    (pattern,) = set(re.findall(r"path_regexp (\S+)", CADDYFILE))
    arguments = dict.fromkeys(UPLOADS, ("ti",)) | dict.fromkeys(UPLOADS_FOR_JOBS, (1,))
    arguments["submissions:leaks"] = ("ti", "1.0.0")
    for name, values in arguments.items():
        assert re.search(pattern, reverse(name, args=values)), name
    for path in ("/accounts/sign-in/", reverse("submissions:manage", args=["ti"])):
        assert not re.search(pattern, path), path
    large, small = (int(size) * 1_000_000 for size in re.findall(r"max_size (\d+)MB", CADDYFILE))
    assert large > settings.IMPORT_LIMITS["file_bytes"]
    assert small > settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def test_proxy_sends_people_outside_to_a_web_server_of_their_own() -> None:
    (words,) = re.findall(r"@public path (.+)", CADDYFILE)
    outside = [
        reverse("releases:public-release", args=["ti", "1.0.0"]),
        reverse("leaderboards:board", args=["ti", "1.0.0"]),
        reverse("submissions:part", args=["ti", "1.0.0"]),
        reverse("submissions:submission", args=[1]),
        reverse("api:submissions", args=["ti", "1.0.0"]),
        reverse("api:submission", args=[1]),
    ]
    inside = [reverse("review:workbench", args=["ti", 1]), reverse("api:projects")]
    for path in (*outside, *inside):
        is_public = any(fnmatch(path, pattern) for pattern in words.split())
        assert is_public == (path in outside), path


@pytest.mark.parametrize("service", ["database", "redis"])
def test_health_check_of_a_foreign_image_is_a_command_with_these_options(service: str) -> None:
    program, *words = SERVICES[service]["healthcheck"]["test"][1:]
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    asked = subprocess.run(
        [found, "-h", "127.0.0.1", "-p", "1", *words], capture_output=True, timeout=20, check=False
    )
    said = (asked.stdout + asked.stderr).decode()
    assert "no response" in said or "refused" in said
