"""Settings come from the environment, and each way of running is safe by default."""

import json
import logging
import os
import re
import stat
import subprocess
import sys
from logging.config import dictConfigClass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from config.settings.base import env
from config.settings.broker import LONGEST_UNIT_SECONDS, broker_settings
from config.settings.database import database_settings
from config.settings.logs import hide_links
from config.settings.secret import read_or_make_secret

ROOT = Path(__file__).resolve().parents[2]
PRINT_SETTINGS = """
import json
from django.conf import settings
names = ["DEBUG", "SECRET_KEY", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE",
         "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "SITE_URL", "ENDPOINT_NETWORKS"]
print(json.dumps({name: getattr(settings, name) for name in names}))
"""


def run_with(module: str, var: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LOTSAWA_")}
    environment = {**kept, "DJANGO_SETTINGS_MODULE": module, "LOTSAWA_VAR": str(var), **extra}
    return subprocess.run(
        [sys.executable, "-c", PRINT_SETTINGS],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )


def settings_of(module: str, var: Path, **extra: str) -> dict[str, Any]:
    done = run_with(module, var, **extra)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_database_without_a_url_is_sqlite_that_waits_for_its_turn(tmp_path: Path) -> None:
    found = database_settings("", tmp_path)
    assert found["ENGINE"] == "django.db.backends.sqlite3"
    assert found["NAME"] == str(tmp_path / "lotsawa.sqlite3")
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert found["OPTIONS"]["timeout"] == 20
    assert "journal_mode=WAL" in found["OPTIONS"]["init_command"]
    assert "synchronous=FULL" in found["OPTIONS"]["init_command"]  # survives a power cut (ADR 0020)
    assert not found.get("ATOMIC_REQUESTS")


def test_database_url_of_postgresql_keeps_and_checks_connections(tmp_path: Path) -> None:
    found = database_settings("postgres://me:secret@db.example.org:5433/lotsawa", tmp_path)
    assert found["ENGINE"] == "common.postgresql"
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example.org", 5433, "lotsawa")
    assert (found["CONN_MAX_AGE"], found["CONN_HEALTH_CHECKS"]) == (60, True)
    assert found["OPTIONS"] == {"prepare_threshold": 2}  # ADR 0042


def test_database_url_can_say_how_often_a_statement_is_planned(tmp_path: Path) -> None:
    url = "postgres://me@db.example.org/lotsawa?prepare_threshold=1000000000"
    assert database_settings(url, tmp_path)["OPTIONS"] == {"prepare_threshold": 1_000_000_000}


def test_broker_on_redis_gives_lost_messages_back_within_seconds_of_its_timeout() -> None:
    options = broker_settings("redis://127.0.0.1/0")["CELERY_BROKER_TRANSPORT_OPTIONS"]
    assert options["visibility_timeout"] == LONGEST_UNIT_SECONDS
    assert 5 <= options["unacked_restore_interval"] * options["unacked_restore_throttle"] <= 10


def test_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "secret_key"
    first = read_or_make_secret(path)
    assert read_or_make_secret(path) == first
    assert len(first) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_embedded_settings_need_nothing_from_the_environment(tmp_path: Path) -> None:
    found = settings_of("config.settings.dev", tmp_path)
    assert found["DEBUG"] is False
    assert found["SECRET_KEY"] == (tmp_path / "secret_key").read_text()
    assert found["ENDPOINT_NETWORKS"] == ["127.0.0.0/8", "::1/128"]


def test_settings_are_read_from_the_prefixed_environment(tmp_path: Path) -> None:
    found = settings_of("config.settings.dev", tmp_path, LOTSAWA_SITE_URL="https://x.example.org")
    assert found["SITE_URL"] == "https://x.example.org"


def test_production_without_a_secret_key_refuses_to_start(tmp_path: Path) -> None:
    done = run_with("config.settings.prod", tmp_path)
    assert done.returncode != 0
    assert "LOTSAWA_SECRET_KEY" in done.stderr


def test_network_that_cannot_be_read_refuses_to_start_and_names_the_variable(
    tmp_path: Path,
) -> None:
    for name in ("LOTSAWA_ENDPOINT_NETWORKS", "LOTSAWA_WEBHOOK_NETWORKS"):
        done = run_with("config.settings.dev", tmp_path, **{name: "10.1.0.5/16"})
        assert done.returncode != 0, name
        assert f"{name} cannot be read: 10.1.0.5/16" in done.stderr, name


def test_production_sends_cookies_over_tls_alone_and_lets_no_project_call_inside(
    tmp_path: Path,
) -> None:
    found = settings_of("config.settings.prod", tmp_path, LOTSAWA_SECRET_KEY="k" * 50)
    assert found == {
        "DEBUG": False,
        "SECRET_KEY": "k" * 50,
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 31_536_000,
        "SITE_URL": "http://127.0.0.1:8000",
        "ENDPOINT_NETWORKS": [],
    }


@pytest.mark.parametrize("directive", ["default-src", "script-src", "style-src", "connect-src"])
def test_content_security_policy_lets_nothing_in_but_our_own_files(directive: str) -> None:
    assert settings.CONTENT_SECURITY_POLICY["DIRECTIVES"][directive] == ["'self'"]


def test_templates_have_no_inline_style_or_script() -> None:
    mails = ROOT / "templates" / "emails"  # mail programs drop style sheets
    report = ROOT / "templates" / "annotation" / "audit_report.html"  # opens without a server
    every = (ROOT / "templates").rglob("*.html")
    pages = [path for path in every if mails not in path.parents and path != report]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages}
    marks = (" style=", "<style", "<script>", " onclick=", " onchange=", "javascript:")
    assert len(texts) > 10
    assert [name for name, text in texts.items() if any(mark in text for mark in marks)] == []


def names_of_settings() -> set[str]:
    """What `config/settings` reads from the environment, without the prefix."""
    sources = (ROOT / "config" / "settings").glob("*.py")
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    return {line.split('"')[1] for line in code.split("env.")[1:] if line.startswith(KINDS)}


def test_every_setting_of_the_environment_is_in_the_example() -> None:
    names = names_of_settings()
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    missing = [name for name in names if f"LOTSAWA_{name}=" not in example]
    assert len(names) > 15
    assert missing == []


def test_page_on_operations_describes_every_setting_and_no_other() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    tables = "\n".join(line for line in page.split("\n") if line.startswith("|"))
    described = set(re.findall(r"`LOTSAWA_([A-Z_]+)`", tables))
    assert described == names_of_settings()


def test_setting_can_be_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text("a secret of this test")
    monkeypatch.setenv("LOTSAWA_SECRET_OF_A_TEST_FILE", str(tmp_path / "key"))
    assert env.str("SECRET_OF_A_TEST") == "a secret of this test"


KINDS = ("str(", "int(", "bool(", "list(")


def fail_over(_value: str) -> None:
    raise RuntimeError("a fault of ours")


@pytest.mark.parametrize("name", ["plain", "json"])
def test_log_of_a_fault_holds_its_traceback_but_no_value_of_a_variable(name: str) -> None:
    key_of_a_hidden_item = "only the managers know"
    logger = logging.getLogger("django.request")
    try:
        fail_over(key_of_a_hidden_item)
    except RuntimeError:
        record = logger.makeRecord("django.request", 40, "f", 1, "failed", (), sys.exc_info())
    formatter = dictConfigClass(settings.LOGGING).configure_formatter(
        dict(settings.LOGGING["formatters"][name])
    )

    written = formatter.format(record)

    assert "Traceback" in written
    assert "RuntimeError: a fault of ours" in written
    assert key_of_a_hidden_item not in written


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("GET /accounts/invitations/s3cr-t_x/", "GET /accounts/invitations/…/"),
        ("Gone: /accounts/invitations/s3cr-t_x/", "Gone: /accounts/invitations/…/"),
        ("GET /accounts/password-reset/MQ/c9-abc/", "GET /accounts/password-reset/MQ/…/"),
        ("GET /accounts/password-reset/sent/", "GET /accounts/password-reset/sent/"),
        ("GET /projects/ti/invitations/x/", "GET /projects/ti/invitations/x/"),
    ],
)
@pytest.mark.parametrize("name", ["plain", "json"])
def test_log_holds_no_link_that_lets_its_reader_in(name: str, said: str, written: str) -> None:
    formatter = dictConfigClass(settings.LOGGING).configure_formatter(
        dict(settings.LOGGING["formatters"][name])
    )
    foreign = logging.getLogger("django.request").makeRecord("d", 30, "f", 1, said, (), None)

    line = formatter.format(foreign)
    own = hide_links(None, "info", {"event": "request_started", "request": said, "code": 200})

    assert written in line.replace("\\u2026", "…")
    assert own == {"event": "request_started", "request": written, "code": 200}


def test_refused_request_is_logged_once(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    """By the line that ends each request, which these settings leave out; Django's own would be a second."""
    with caplog.at_level(logging.INFO):
        assert client.get("/no-such-page/").status_code == 404
    assert caplog.records == []


def test_django_is_as_quiet_as_the_level_says(tmp_path: Path) -> None:
    code = "import django, logging; django.setup(); print(logging.getLogger('django').level)"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "LOTSAWA_VAR": str(tmp_path),
        "LOTSAWA_LOG_LEVEL": "ERROR",
    }
    command = [sys.executable, "-c", code]
    said = subprocess.check_output(command, cwd=ROOT, env=environment, text=True)
    assert int(said) == logging.ERROR
