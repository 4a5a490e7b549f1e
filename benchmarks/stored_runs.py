"""Stores releases of all items of a project, and simulated answers to them as finished, scored runs."""

import hashlib
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

OPTIONS = 4
METHODS = ("anchored", "direct", "concern_all")


def published_keys(count: int) -> Any:
    """The key of item n as a number: option n modulo OPTIONS."""
    return np.arange(count) % OPTIONS


def make_release(
    project: Any, version: str = "1.0.0", *, keys: Any = None, hidden: Sequence[int] = ()
) -> tuple[Any, Sequence[int]]:
    """Store a release of all items of a project, and return it with the ids of its items in order.

    `keys` has a number for each item, by default those of `published_keys`; `hidden` are the places
    of the items that it hides.
    """
    from django.utils import timezone

    from annotation.models import Item
    from releases.models import Release, ReleaseItem

    release = Release.objects.create(
        project=project, version=version, state="built", created_at=timezone.now()
    )
    items = Item.objects.filter(project=project).select_related("working_translation", "subject")
    # The number of an item is at the end of its uid.
    ordered = sorted(items, key=lambda item: item.uid.rpartition("/")[2])
    subjects = _subjects(release, dict.fromkeys(item.subject.slug for item in ordered))
    keys = published_keys(len(ordered)) if keys is None else keys
    away = set(hidden)
    ReleaseItem.objects.bulk_create(
        ReleaseItem(
            release=release,
            item=item,
            revision_id=item.working_translation.current_revision_id,
            subject=subjects[item.subject.slug],
            uid=item.uid,
            public_id=item.uid,
            key="ABCD"[keys[position]],
            split="test",
            subset="black-box" if position in away else "open",
            position=position,
        )
        for position, item in enumerate(ordered)
    )
    return release, list(release.items.order_by("position").values_list("pk", flat=True))


def make_endpoint(project: Any) -> Any:
    from django.utils import timezone

    from endpoints.models import Endpoint

    return Endpoint.objects.create(
        project=project,
        name="simulated",
        base_url="https://models.example.org/v1",
        created_at=timezone.now(),
    )


def make_model(endpoint: Any, number: int) -> Any:
    """Store a model; each second one is tuned from the one before it."""
    from django.utils import timezone

    from endpoints.models import ModelSpec

    return ModelSpec.objects.create(
        project=endpoint.project,
        endpoint=endpoint,
        name=f"model-{number}",
        model=f"model-{number}",
        size=7 * (number + 1),
        tuned_from=f"model-{number - 1}" if number % 2 else "",
        created_at=timezone.now(),
    )


def make_prompt(project: Any, name: str, style: str = "direct") -> Any:
    from django.utils import timezone

    from prompts.models import PromptTemplate

    return PromptTemplate.objects.create(
        project=project,
        name=name,
        language="en",
        frame="{question}",
        style=style,
        created_at=timezone.now(),
    )


def store_run(
    release: Any,
    model: Any,
    prompt: Any,
    chosen: Any,
    *,
    shots: int = 0,
    rotation: int = 0,
    methods: Sequence[str] = METHODS,
) -> Any:
    """Store a run with its answers (epoch, item), scored by the keys of the release."""
    from django.db import transaction

    rows = list(release.items.order_by("position").values_list("pk", "key"))
    keys = np.array(["ABCD".index(key) for _pk, key in rows])
    run = _ended_run(
        release, model, prompt, epochs=len(chosen), shots=shots, rotation=rotation,
        methods=list(methods), headline_method=methods[0], headline_read=chosen.size,
        headline_right=int((chosen == keys).sum()),
    )  # fmt: skip
    asked = list(product(range(len(chosen)), range(len(rows))))
    letters = ["ABCD"[chosen[place]] for place in asked]
    with transaction.atomic():
        responses = _store_answers(run, [(rows[item][0], epoch) for epoch, item in asked], letters)
        _store_scores(run, responses, letters, [rows[item][1] for _epoch, item in asked])
    return run


def store_translations(release: Any, model: Any, prompt: Any, chance: np.random.Generator) -> Any:
    """Store a run of translations in two directions, with counts of texts of 10 to 60 tokens.

    The items of the release have to be translations with a reference.
    """
    from django.db import transaction

    from common.bulk_insert import insert_rows
    from evaluation.models import TranslationScore
    from evaluation.translation.queries import VERSION

    run = _ended_run(release, model, prompt, methods=["translation"])
    placed = list(release.items.order_by("position").values_list("pk", flat=True))
    counts = _text_counts(chance, len(placed))
    with transaction.atomic():
        asked = [(item, 0) for item in placed]
        responses = _store_answers(run, asked, ["–"] * len(asked))
        insert_rows(
            TranslationScore,
            ["response", "direction", "counts"],
            [
                (response, ("zh-bo", "bo-zh")[number % 2], row)
                for number, (response, row) in enumerate(zip(responses, counts, strict=True))
            ],
            {"run": run.pk, "version": VERSION, "segmenter": "lotsawa-tsheg-2", "is_empty": False},
        )
    return run


def _ended_run(release: Any, model: Any, prompt: Any, **fields: Any) -> Any:
    from django.utils import timezone

    from evaluation.models import Run
    from jobs.models import Job

    now = timezone.now()
    job = Job.objects.create(
        kind="run", scope=release.project.slug, state="done", created_at=now, queued_at=now,
        started_at=now, finished_at=now,
    )  # fmt: skip
    return Run.objects.create(
        release=release, model_spec=model, prompt_template=prompt, job=job, started_at=now, **fields
    )


def _text_counts(chance: np.random.Generator, count: int) -> list[list[int]]:
    """Return rows as `scoring.overlap.text_counts` makes them of texts that share most of their words."""
    words = chance.integers(10, 60, count)
    lengths = [words, words + chance.integers(-3, 4, count)]
    matches = [(words * share).astype(int) for share in (0.6, 0.4, 0.25, 0.15)]
    ngrams = [words - order for order in range(4)]
    letters = [
        each
        for order in range(8)
        for each in (4 * words, 4 * words + 3, (4 * words * (0.7 - 0.06 * order)).astype(int))
    ]
    rows: list[list[int]] = np.stack([*lengths, *matches, *ngrams, *letters], axis=1).tolist()
    return rows


def _subjects(release: Any, slugs: Sequence[str] | dict[str, None]) -> dict[str, Any]:
    from releases.models import ReleaseSubject

    return {
        slug: ReleaseSubject.objects.create(
            release=release,
            slug=slug,
            name=slug,
            category=f"category {number % 3}",
            dimension=f"dimension {number % 2}",
            level=f"level {number % 2}",
        )
        for number, slug in enumerate(slugs)
    }


def _store_answers(
    run: Any, asked: Sequence[tuple[int, int]], letters: Sequence[str]
) -> Sequence[int]:
    from common.bulk_insert import insert_new_rows
    from evaluation.models import ModelResponse

    no_text = dict.fromkeys(
        ("error", "reasoning", "refusal", "tool_calls", "body", "finish_reason", "endpoint_model"),
        "",
    )
    return insert_new_rows(
        ModelResponse,
        ["release_item", "epoch", "text", "request_hash"],
        [
            (item, epoch + 1, letter, hashlib.sha256(f"{run.pk} {epoch} {item}".encode()).hexdigest())
            for (item, epoch), letter in zip(asked, letters, strict=True)
        ],
        {
            "run": run.pk, "state": "answered", "says": "answer", "created_at": run.started_at,
            "latency_ms": 0, "try_count": 1, **no_text,
        },
    )  # fmt: skip


def _store_scores(
    run: Any, responses: Sequence[int], letters: Sequence[str], keys: Sequence[str]
) -> None:
    from common.bulk_insert import insert_rows
    from evaluation.models import Score
    from scoring.scorers import SCORERS

    rows = [
        (pk, letter, letter == key, "" if letter == key else "knowledge_error")
        for pk, letter, key in zip(responses, letters, keys, strict=True)
    ]
    for method in run.methods:
        version = int(SCORERS[method].version)
        insert_rows(
            Score,
            ["response", "letter", "is_correct", "error_kind"],
            rows,
            {"run": run.pk, "method": method, "version": version, "is_valid": True},
        )
