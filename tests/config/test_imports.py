"""Who may import whom, and what the web process never loads."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ["torch", "sentence_transformers", "transformers", "sklearn", "pandas", "statsmodels"]
IMPORTLINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
APPS = [name for name in IMPORTLINTER["root_packages"] if name != "config"]
CONTRACTS = {contract["name"]: contract for contract in IMPORTLINTER["contracts"]}
PURE = CONTRACTS["Pure cores know no Django"]
WORDS = [
    {"api", "management", "views"},
    {"actions"},
    {"queries"},
    {"rules"},
    {"models"},
    {"querysets"},
    {"enums"},
]
# The layers inside a room, the highest first; the last word of a module's name says where it stands.
LAYERS_OF_ROOMS = [
    {"api", "views"},
    {"forms"},
    {"charts", "labels", "page", "presenters"},
    {"actions"},
    {"selectors"},
    {"queries"},
]
# For every contract an import that breaks it: who imports what.
WRONG_IMPORTS = {
    "Each app imports only from the apps below it": ("annotation.models.items", "review.enums"),
    "Inside notifications": ("notifications.queries", "notifications.actions.reading"),
    "Inside webhooks": ("webhooks.models", "webhooks.queries"),
    "Inside leaderboards": ("leaderboards.ranking", "leaderboards.queries"),
    "Inside submissions": ("submissions.ladder", "submissions.models"),
    "Inside arena": ("arena.models", "arena.queries"),
    "Inside evaluation": ("evaluation.results.actions", "evaluation.runs.actions"),
    "Inside releases": ("releases.querysets", "releases.models"),
    "Inside review": ("review.rules", "review.disputes.queries"),
    "Inside annotation": ("annotation.checks.queries", "annotation.items.actions"),
    "Inside endpoints": ("endpoints.enums", "endpoints.models"),
    "Inside prompts": ("prompts.models", "prompts.queries"),
    "Inside projects": ("projects.actions.members", "projects.api.views"),
    "Inside jobs": ("jobs.models", "jobs.rules"),
    "Inside accounts": ("accounts.queries", "accounts.actions"),
    "Inside scoring": ("scoring.metrics", "scoring.result_files"),
    "Inside common": ("common.errors", "common.db"),
    "Languages build on each other without a circle": ("languages.base", "languages.bo"),
    "Pure cores know no Django": ("review.outcomes", "django"),
    "The web imports nothing heavy": ("config.wsgi", "statsmodels"),
}
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
START_WEB = """
import gc, json
from config.wsgi import application
from django.urls import get_resolver
told = {"addresses": "url_patterns" in vars(get_resolver()), "left out": gc.get_freeze_count() > 1e5}
print(json.dumps([name for name in told if told[name]]))
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
print(json.dumps([name for name in FORBIDDEN if name in sys.modules]))
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


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Who imports whom, as import-linter sees it."""
    return grimp.build_graph(
        *IMPORTLINTER["root_packages"],
        include_external_packages=True,
        exclude_type_checking_imports=True,
        cache_dir=None,
    )


def layers_of(contract: dict[str, Any]) -> list[list[str]]:
    return [re.split(r"\s*[|:]\s*", line) for line in contract["layers"]]


@pytest.mark.slow
def test_each_contract_catches_a_wrong_import(tmp_path: Path) -> None:
    python_only = shutil.ignore_patterns("*.json*", "*.txt", "__pycache__")
    for name in IMPORTLINTER["root_packages"]:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=python_only)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for importer, imported in WRONG_IMPORTS.values():
        path = tmp_path.joinpath(*importer.split(".")).with_suffix(".py")
        path.write_text(f"{path.read_text()}\nimport {imported}\n")

    lint = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    said = subprocess.run(lint, cwd=tmp_path, capture_output=True, text=True, check=False).stdout

    assert re.findall(r"^(.+) BROKEN$", said, re.MULTILINE) == list(CONTRACTS)


@pytest.mark.parametrize("app", [name for name in APPS if name != "languages"])
def test_contract_of_an_app_keeps_the_order_of_the_common_words(app: str) -> None:
    layers = [
        {name.rpartition(".")[2] for name in layer}
        for layer in layers_of(CONTRACTS[f"Inside {app}"])
    ]
    places = [{place for place, names in enumerate(layers) if names & word} for word in WORDS]
    assert all(max(high) < min(low) for high, low in pairwise(filter(None, places)))


def place_of(module: str) -> int | None:
    """The layer that a module of a room stands in, counted from the highest; None if it has none."""
    word = module.split(".")[2].rpartition("_")[2]
    return next((place for place, words in enumerate(LAYERS_OF_ROOMS) if word in words), None)


def in_wrong_order(graph: grimp.ImportGraph, room: str) -> set[tuple[str, str]]:
    """Who imports what of a higher layer of the same room, itself or through others."""
    inside = graph.find_descendants(room)
    return {
        (importer, imported)
        for importer in inside
        for imported in graph.find_upstream_modules(importer) & inside
        if (low := place_of(importer)) is not None
        and (high := place_of(imported)) is not None
        and high < low
    }


def test_modules_of_a_room_keep_the_order_of_their_layers(graph: grimp.ImportGraph) -> None:
    rooms = {
        room
        for app in APPS
        for room in graph.find_children(app)
        if {place_of(module) for module in graph.find_children(room)} > {None}
    }
    assert {"annotation.items", "releases.building", "review.rounds"} <= rooms
    assert {room: wrong for room in rooms if (wrong := in_wrong_order(graph, room))} == {}

    graph.add_import(importer="review.rounds.queries", imported="review.rounds.views.rounds")
    wrong = in_wrong_order(graph, "review.rounds")
    graph.remove_import(importer="review.rounds.queries", imported="review.rounds.views.rounds")
    assert ("review.rounds.queries", "review.rounds.views.rounds") in wrong


def test_module_that_needs_no_django_is_held_to_it(graph: grimp.ImportGraph) -> None:
    held = tuple(f"{name}." for name in PURE["source_modules"])
    loose = {
        module
        for module in graph.modules
        if module.split(".")[0] in APPS and not f"{module}.".startswith(held)
        # A package that imports nothing is empty.
        if graph.find_modules_directly_imported_by(module) or not graph.find_children(module)
    }
    needs_django = set(PURE["forbidden_modules"])
    assert {m for m in loose if not graph.find_upstream_modules(m) & needs_django} == set()


@pytest.mark.parametrize("program", [LOAD_WEB, LOAD_WORKER], ids=["web", "worker"])
def test_idle_process_loads_nothing_heavy(program: str, tmp_path: Path) -> None:
    assert loaded(program, HEAVY, tmp_path) == []


def test_web_server_starts_with_all_pages_loaded_and_left_out_of_collections(
    tmp_path: Path,
) -> None:
    assert loaded(START_WEB, [], tmp_path) == ["addresses", "left out"]


@pytest.mark.slow
def test_heavy_libraries_are_seen_where_they_are_loaded(tmp_path: Path) -> None:
    program = LOAD_WEB.replace("from config.wsgi", "import statsmodels\nfrom config.wsgi")
    assert loaded(program, HEAVY, tmp_path) == ["statsmodels"]


def test_pure_cores_load_without_django(tmp_path: Path) -> None:
    program = f"FORBIDDEN = {PURE['forbidden_modules']}\n{LOAD_PURE}"
    assert loaded(program, PURE["source_modules"], tmp_path) == []
