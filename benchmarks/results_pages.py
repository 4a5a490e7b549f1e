"""CPU time of the pages of results, with 100 runs of one epoch on 10,000 items, and of what is kept for them.

    python -m benchmarks.results_pages [--runs 100] [--items 10000]

Runs are stored with all answers and scores, and end as they do in a worker, which keeps their
figures. `first` is the first view of a page after that, `later` the median of those that follow.
A leaderboard keeps what it shows for a minute: `anew` is a view after that.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.fresh_site import make_tables, report
from benchmarks.review import database, make_items, make_project, measure_in_child
from benchmarks.stored_runs import (
    METHODS,
    OPTIONS,
    make_endpoint,
    make_model,
    make_prompt,
    make_release,
    published_keys,
    store_run,
    store_translations,
)
from common.processes import quick_collections

RUNS, ITEMS, VIEWS, COMPARED = 100, 10_000, 5, 10
ABILITIES = (0.3, 0.8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--databases", default="sqlite")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.runs, options.items)
        return
    words = ["--runs", str(options.runs), "--items", str(options.items)]
    for name in options.databases.split(","):
        with database(name) as url:
            if url is not None:
                measure_in_child("benchmarks.results_pages", name, url, words)


def measure(name: str, run_count: int, item_count: int) -> None:
    os.environ["LOTSAWA_LOG_LEVEL"] = "ERROR"
    make_tables()
    from django.conf import settings
    from django.test import Client

    settings.ALLOWED_HOSTS = ["testserver"]
    end = f"{name}_{run_count}_runs_{item_count}_items"
    project, people = make_project("results")
    make_items(project, item_count)
    runs = _stored_runs(project, run_count)
    ending = statistics.median(_cpu_ms(partial(_end, run)) for run in runs)
    report(f"results_end_of_a_run_{end}", ending, "ms", run_count)
    report(f"results_item_analysis_job_{end}", _cpu_ms(lambda: _analyse(runs[0])), "ms", run_count)
    translated = _stored_translations(item_count, people["manager"])
    client = Client()
    client.force_login(people["manager"], backend="accounts.backends.AccountBackend")
    client.get(f"/projects/{project.slug}/members/")  # imports and templates of every page
    with quick_collections():  # as in a web server
        for page, path in (*_pages(project, runs), *_translation_pages(translated)):
            first, *later = [_cpu_ms(partial(_view, client, path)) for _n in range(1 + VIEWS)]
            report(f"results_{page}_first_{end}", first, "ms", 1)
            report(f"results_{page}_later_{end}", statistics.median(later), "ms", VIEWS)
        anew = statistics.median(_leaderboard_anew(client, project) for _n in range(VIEWS))
        report(f"results_leaderboard_anew_{end}", anew, "ms", VIEWS)


def _stored_runs(project: Any, count: int) -> list[Any]:
    """Store runs of as many models, each of which answers each item rightly with its own chance."""
    release, placed = make_release(project)
    type(release).objects.filter(pk=release.pk).update(
        state="published", published_at=release.created_at
    )
    endpoint, prompt = make_endpoint(project), make_prompt(project, "direct")
    chance, keys = np.random.default_rng(1), published_keys(len(placed))
    runs = []
    for number, ability in enumerate(np.linspace(*ABILITIES, count)):
        knows = chance.random(len(placed)) < ability
        guessed = (keys + chance.integers(1, OPTIONS, len(placed))) % OPTIONS
        chosen = np.where(knows, keys, guessed)[None, :]
        model = make_model(endpoint, number)
        runs.append(store_run(release, model, prompt, chosen, methods=METHODS[:1]))
    return runs


def _stored_translations(item_count: int, manager: Any) -> list[Any]:
    """Store two runs of a project of translations, and end them as a worker does."""
    from annotation.models import Revision
    from projects.models import Membership

    project, _people = make_project("translations")
    Membership.objects.create(
        project=project, user=manager, role="manager", created_at=project.created_at
    )
    make_items(project, item_count)
    release, _placed = make_release(project)
    release.items.update(kind="translation")
    Revision.objects.filter(translation__item__project=project).update(answer="–")
    endpoint, prompt = make_endpoint(project), make_prompt(project, "translation")
    chance = np.random.default_rng(2)
    models = [make_model(endpoint, number) for number in range(2)]
    runs = [store_translations(release, model, prompt, chance) for model in models]
    for run in runs:
        _end(run)
    return runs


def _translation_pages(runs: list[Any]) -> Iterator[tuple[str, str]]:
    slug, numbers = runs[0].release.project.slug, ",".join(str(run.pk) for run in runs)
    yield "translations_run", f"/projects/{slug}/runs/{runs[0].pk}/"
    for table in ("translations", "translation-pairs"):
        path = f"/projects/{slug}/comparisons/?runs={numbers}&table={table}"
        yield f"comparison_{table.replace('-', '_')}", path


def _end(run: Any) -> None:
    """What a worker does when the job of a run ends."""
    from evaluation.results.actions import keep_figures, update_headline

    update_headline(run)
    keep_figures(run)


def _analyse(run: Any) -> None:
    from django.utils import timezone

    from evaluation.items.actions import start_analysis
    from jobs.worker import run_now

    analysis = start_analysis(release=run.release, reference=None, actor=None, now=timezone.now())
    job = run_now(analysis.job)
    assert job.state == "done", job.error


def _pages(project: Any, runs: list[Any]) -> Iterator[tuple[str, str]]:
    base = f"/projects/{project.slug}"
    numbers = ",".join(str(run.pk) for run in runs[:COMPARED])
    yield "runs", f"{base}/runs/"
    yield "run", f"{base}/runs/{runs[-1].pk}/"
    yield "responses", f"{base}/runs/{runs[-1].pk}/responses/"
    for table in ("runs", "pairs", "subjects", "by-subject"):
        yield f"comparison_{table}", f"{base}/comparisons/?runs={numbers}&table={table}"
    yield "flips", f"{base}/comparisons/items/?runs={numbers}"
    yield "leaderboard", f"/boards/{project.slug}/1.0.0/"
    yield "item_analysis", f"{base}/item-analysis/"
    yield "item_analysis_sorted", f"{base}/item-analysis/?sort=difficulty"
    yield "suggestions", f"{base}/suggestions/"


def _leaderboard_anew(client: Any, project: Any) -> float:
    """The CPU of a view after a line of audit, which makes the leaderboard drop what it kept."""
    from django.utils import timezone

    from accounts.models import AuditEvent

    AuditEvent.objects.create(verb="bench", scope=project.slug, occurred_at=timezone.now())
    return _cpu_ms(lambda: _view(client, f"/boards/{project.slug}/1.0.0/"))


def _view(client: Any, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)


def _cpu_ms(work: Callable[[], None]) -> float:
    before = time.process_time()
    work()
    return 1000 * (time.process_time() - before)


if __name__ == "__main__":
    main()
