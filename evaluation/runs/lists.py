"""The list of a project's runs: filters, orders, rows for files, and what models have taken."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db.models import Case, Count, F, FloatField, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Cast

from accounts.models import User
from endpoints.models import ModelSpec
from evaluation.models import Run
from evaluation.queries import runs_seen_by
from evaluation.results.queries.usage import spent_on
from projects.models import Project

NEWEST: Final = "newest"
ORDERS: Final[Mapping[str, Sequence[str]]] = {
    NEWEST: ("-pk",),
    "oldest": ("pk",),
    "score": ("-score", "-pk"),
    "model": ("model_spec__name", "-pk"),
}
FILE_COLUMNS: Final = (
    "run", "model", "model_revision", "release", "prompt", "prompt_revision", "shots", "epochs", "rotation",
    "methods", "state", "method", "answers_read", "accuracy", "accuracy_low", "accuracy_high",
    "bought", "reused", "prompt_tokens", "completion_tokens", "price", "started_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Names of a model, a release and a prompt, a state of the job, and a part of a name; "" is any.

    `rotation` is that of the options; None is any.
    """

    q: str = ""
    model: str = ""
    release: str = ""
    prompt: str = ""
    state: str = ""
    rotation: int | None = None


def filtered_runs(user: User, project: Project, wanted: RunFilter) -> QuerySet[Run]:
    """Return the runs that `user` may see and the filter wants; `score` is -1 without a figure."""
    exact = {
        "model_spec__name": wanted.model,
        "release__version": wanted.release,
        "prompt_template__name": wanted.prompt,
        "job__state": wanted.state,
        "rotation": wanted.rotation,
    }
    rows = runs_seen_by(user, project).filter(
        **{name: value for name, value in exact.items() if value not in ("", None)}
    )
    if wanted.q:
        rows = rows.filter(
            Q(model_spec__name__icontains=wanted.q)
            | Q(model_spec__model__icontains=wanted.q)
            | Q(release__version__icontains=wanted.q)
            | Q(prompt_template__name__icontains=wanted.q)
        )
    share = Cast(F("headline_right"), FloatField()) / Cast(F("headline_read"), FloatField())
    return rows.annotate(score=Case(When(headline_read__gt=0, then=share), default=Value(-1.0)))


def file_rows(rows: QuerySet[Run]) -> Iterator[dict[str, Any]]:
    """Yield a row for each run, the newest first, with figures as shares and the price as text."""
    for run in rows.order_by("-pk").iterator(chunk_size=500):
        interval = run.headline_interval
        price = spent_on(
            run.model_spec, sent=run.prompt_tokens, got=run.completion_tokens,
            filed=(run.file_prompt_tokens, run.file_completion_tokens), silent=run.unmeasured_count,
        )  # fmt: skip
        yield {
            "run": run.pk,
            "model": run.model_spec.name,
            "model_revision": run.model_spec.revision,
            "release": run.release.version,
            "prompt": run.prompt_template.name,
            "prompt_revision": run.prompt_template.revision,
            "shots": run.shots,
            "epochs": run.epochs,
            "rotation": run.rotation,
            "methods": " ".join(run.methods),
            "state": run.job.state,
            "method": run.headline_method,
            "answers_read": run.headline_read,
            "accuracy": run.headline_accuracy,
            "accuracy_low": interval.low if interval else None,
            "accuracy_high": interval.high if interval else None,
            "bought": run.bought_count,
            "reused": run.reused_count,
            "prompt_tokens": run.prompt_tokens,
            "completion_tokens": run.completion_tokens,
            "price": None if price is None else str(price),
            "started_at": run.started_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What the runs of one revision of a model have taken, as of when their jobs ended.

    price: US dollars; None if a price or the tokens of an answer are not known
    """

    model: str
    revision: int
    runs: int
    bought: int
    reused: int
    prompt_tokens: int
    completion_tokens: int
    price: Decimal | None


def costs_by_model(user: User, project: Project) -> list[ModelCost]:
    """Return what the runs that `user` may see have taken, by model; 2 queries."""
    rows = (
        Run.objects.filter(pk__in=runs_seen_by(user, project).values("pk"))
        .order_by()
        .values("model_spec")
        .annotate(
            runs=Count("pk"), bought=Sum("bought_count"), reused=Sum("reused_count"),
            silent=Sum("unmeasured_count"), sent=Sum("prompt_tokens"), got=Sum("completion_tokens"),
            file_sent=Sum("file_prompt_tokens"), file_got=Sum("file_completion_tokens"),
        )
    )  # fmt: skip
    found = {row["model_spec"]: row for row in rows}
    specs = ModelSpec.objects.filter(pk__in=found).order_by("name", "revision", "pk")
    return [_cost(spec, {**found[spec.pk]}) for spec in specs]


def _cost(spec: ModelSpec, row: Mapping[str, Any]) -> ModelCost:
    return ModelCost(
        model=spec.name,
        revision=spec.revision,
        runs=row["runs"],
        bought=row["bought"],
        reused=row["reused"],
        prompt_tokens=row["sent"],
        completion_tokens=row["got"],
        price=spent_on(
            spec, sent=row["sent"], got=row["got"], filed=(row["file_sent"], row["file_got"]),
            silent=row["silent"],
        ),
    )  # fmt: skip
