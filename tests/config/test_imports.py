"""The division of the house: who may import whom, and what the web process never loads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ["torch", "sentence_transformers", "transformers", "sklearn", "pandas", "statsmodels"]
PURE = [
    "annotation.checks",
    "annotation.dedupe",
    "annotation.diffs",
    "annotation.importers",
    "annotation.languages",
    "common.charts",
    "evaluation.engine",
    "evaluation.metrics",
    "evaluation.scorers",
    "releases.manifest",
    "releases.splits",
    "review.agreement",
    "review.figures",
    "review.outcomes",
    "review.report_formats",
]
LOAD_WEB = """
import importlib, json, sys
from config.wsgi import application
from django.urls import get_resolver

def visit(patterns):
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            visit(pattern.url_patterns)
        else:
            pattern.callback
visit(get_resolver().url_patterns)
print(json.dumps([name for name in sys.argv[1:] if name in sys.modules]))
"""
LOAD_WORKER = """
import json, sys
import django
from config.celery import app
django.setup()
app.loader.import_default_modules()
print(json.dumps([name for name in sys.argv[1:] if name in sys.modules]))
"""
LOAD_PURE = """
import importlib, json, pkgutil, sys
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    for found in pkgutil.iter_modules(getattr(module, "__path__", []), f"{name}."):
        importlib.import_module(found.name)
print(json.dumps([name for name in ("django", "celery", "rest_framework") if name in sys.modules]))
"""


def loaded(program: str, names: list[str], var: Path) -> list[str]:
    """Run `program` in a fresh interpreter and return the names that it prints."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "LOTSAWA_VAR": str(var),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *names],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_import_contracts_are_kept() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("program", [LOAD_WEB, LOAD_WORKER], ids=["web", "worker"])
def test_idle_process_loads_nothing_heavy(program: str, tmp_path: Path) -> None:
    assert loaded(program, HEAVY, tmp_path) == []


def test_heavy_libraries_are_seen_where_they_are_loaded(tmp_path: Path) -> None:
    program = LOAD_WEB.replace("from config.wsgi", "import statsmodels\nfrom config.wsgi")
    assert loaded(program, HEAVY, tmp_path) == ["statsmodels"]


def test_pure_cores_load_without_django(tmp_path: Path) -> None:
    assert loaded(LOAD_PURE, PURE, tmp_path) == []
