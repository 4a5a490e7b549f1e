"""The smallest valid row of each table."""

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from accounts.models import ApiToken, User
from annotation import models as annotation
from annotation.duplicates.clusters import join_items, measure_clusters
from annotation.enums import Origin, PairKind, PairState, TextSide
from annotation.glossary.actions import create_term, propose_term
from annotation.glossary.term_values import TermValues
from annotation.index import store_translation_texts
from annotation.items.revisions import text_hash
from annotation.natural_order import natural_order
from annotation.search_text import search_text
from endpoints.models import Endpoint, ModelSpec
from jobs.models import Job
from projects import models as projects
from projects.enums import Role
from releases import models as releases
from releases.enums import ReleaseState
from review import models as review
from review.enums import RoundState, Selection

RUBRIC = {
    "domain": [f"domain rating {number}" for number in range(6)],
    "cultural": [f"cultural rating {number}" for number in range(6)],
}


def digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()


class UserFactory(DjangoModelFactory[User]):
    class Meta:
        model = User

    email = factory.Sequence(lambda n: f"person{n}@example.org")
    name = factory.Sequence(lambda n: f"Person {n}")
    password = factory.django.Password("correct horse")
    date_joined = factory.LazyFunction(timezone.now)


class JobFactory(DjangoModelFactory[Job]):
    class Meta:
        model = Job

    kind = "import"
    scope = "demo"
    created_at = factory.LazyFunction(timezone.now)
    queued_at = factory.LazyFunction(timezone.now)


class ProjectFactory(DjangoModelFactory[projects.Project]):
    class Meta:
        model = projects.Project

    slug = factory.Sequence(lambda n: f"project-{n}")
    name = factory.Sequence(lambda n: f"Project {n}")
    source_language = "zh"
    target_language = "bo"
    created_at = factory.LazyFunction(timezone.now)


class MembershipFactory(DjangoModelFactory[projects.Membership]):
    class Meta:
        model = projects.Membership

    project = factory.SubFactory(ProjectFactory)
    user = factory.SubFactory(UserFactory)
    role = Role.REVIEWER
    created_at = factory.LazyFunction(timezone.now)


class SourceFactory(DjangoModelFactory[projects.Source]):
    class Meta:
        model = projects.Source

    project = factory.SubFactory(ProjectFactory)
    name = factory.Sequence(lambda n: f"source {n}")
    checksum = "0" * 64
    created_at = factory.LazyFunction(timezone.now)


class SubjectFactory(DjangoModelFactory[projects.Subject]):
    class Meta:
        model = projects.Subject

    project = factory.SubFactory(ProjectFactory)
    slug = factory.Sequence(lambda n: f"subject_{n}")
    name = factory.Sequence(lambda n: f"Subject {n}")


LETTERS = str.maketrans("0123456789", "abcdefghij")


class ItemFactory(DjangoModelFactory[annotation.Item]):
    class Meta:
        model = annotation.Item

    project = factory.SubFactory(ProjectFactory)
    source = factory.SubFactory(SourceFactory, project=factory.SelfAttribute("..project"))
    subject = factory.SubFactory(SubjectFactory, project=factory.SelfAttribute("..project"))
    uid = factory.Sequence(lambda n: f"subject/{n}")
    uid_order = factory.LazyAttribute(lambda item: natural_order(item.uid))
    # Without digits: checks compare the numbers of a text with those of its source.
    question = factory.Sequence(lambda n: f"source question {str(n).translate(LETTERS)}")
    options = factory.LazyFunction(lambda: ["one", "two", "three", "four"])
    key = "A"
    content_hash = factory.LazyAttribute(lambda item: digest((item.uid, item.question)))
    created_at = factory.LazyFunction(timezone.now)


def make_translated_item(**fields: Any) -> annotation.Item:
    """An item with a working translation whose current revision has the given text."""
    return make_translated_items([fields])[0]


def make_translated_items(rows: Iterable[dict[str, Any]]) -> list[annotation.Item]:
    """An item for each of `rows`, as `make_translated_item` makes one of the same fields."""
    revisions = _store_texts(rows)
    items = [revision.translation.item for revision in revisions]
    # As `refresh_items` does, which also looks for findings: a new text has none.
    annotation.ItemSearchText.objects.bulk_create(
        annotation.ItemSearchText(item=item, text=search_text(item, uid=item.uid)) for item in items
    )
    store_translation_texts(revisions)
    return items


def store_translated_item(**fields: Any) -> annotation.Item:
    """A translated item that searches don't know yet."""
    return _store_texts([fields])[0].translation.item


def _store_texts(rows: Iterable[dict[str, Any]]) -> list[annotation.Revision]:
    revisions = [_translated(**fields) for fields in rows]
    translations = [revision.translation for revision in revisions]
    annotation.Translation.objects.bulk_create(translations)
    annotation.Revision.objects.bulk_create(revisions)
    for revision in revisions:
        revision.translation.current_revision = revision
        revision.translation.item.working_translation = revision.translation
    annotation.Translation.objects.bulk_update(translations, ["current_revision"])
    annotation.Item.objects.bulk_update(
        [translation.item for translation in translations], ["working_translation"]
    )
    return revisions


def _translated(
    *,
    question: str = "འདྲི་བ།",
    options: list[str] | None = None,
    system: str = "mt",
    author: User | None = None,
    **item_fields: Any,
) -> annotation.Revision:
    """The first text of a new item; it and its translation are not stored."""
    options = options if options is not None else ["གཅིག", "གཉིས", "གསུམ", "བཞི"]
    return annotation.Revision(
        translation=annotation.Translation(
            item=ItemFactory(**item_fields), system=system, created_at=timezone.now()
        ),
        number=1,
        question=question,
        options=options,
        origin=Origin.HUMAN if author else Origin.MT,
        author=author,
        content_hash=text_hash(question, options),
        created_at=timezone.now(),
    )


def make_term(project: projects.Project, source: str = "民族", **fields: Any) -> annotation.Term:
    """A term of the project's glossary with one preferred rendering, unless `fields` say otherwise."""
    values = TermValues(source=source, **{"preferred": ("མི་རིགས",)} | fields)
    return create_term(project=project, values=values, actor=None, now=timezone.now())


def make_proposal(
    project: projects.Project, proposed_by: User, source: str = "法律", **fields: Any
) -> annotation.TermProposal:
    """An open proposal of one preferred rendering, unless `fields` say otherwise."""
    values = TermValues(source=source, **{"preferred": ("ཁྲིམས་ལུགས",)} | fields)
    return propose_term(project=project, values=values, actor=proposed_by, now=timezone.now())


def make_duplicate_pair(
    a: annotation.Item, b: annotation.Item, **fields: Any
) -> annotation.DuplicatePair:
    """A pair in its cluster, open unless `fields` say otherwise."""
    values = {
        "side": TextSide.TARGET,
        "kind": PairKind.EXACT,
        "similarity": 1.0,
        "has_same_key": True,
        "search": _search_of(a.project),
        "created_at": timezone.now(),
    }
    is_distinct = fields.get("state") == PairState.DISTINCT
    cluster = None if is_distinct else join_items(a.project_id, [(a.pk, b.pk)])[0]
    pair = annotation.DuplicatePair.objects.create(
        project=a.project, a=a, b=b, cluster_id=cluster, **values | fields
    )
    measure_clusters([cluster] if cluster else [])
    return pair


def _search_of(project: projects.Project) -> annotation.DuplicateSearch:
    counts = {"items": 2, "found": 1, "exact": 1, "near": 0, "semantic": 0, "different_key": 0}
    return annotation.DuplicateSearch.objects.filter(project=project).first() or (
        annotation.DuplicateSearch.objects.create(
            project=project,
            job=JobFactory(
                kind="duplicates",
                scope=project.slug,
                state="done",
                result=counts,
                finished_at=timezone.now(),
            ),
            methods=["exact"],
            model="hashed-ngrams",
            created_at=timezone.now(),
        )
    )


class GuidelineFactory(DjangoModelFactory[review.Guideline]):
    class Meta:
        model = review.Guideline

    project = factory.SubFactory(ProjectFactory)
    version = factory.Sequence(lambda n: n + 1)
    text = "Judge with care."
    rubric = factory.LazyFunction(lambda: RUBRIC)
    created_at = factory.LazyFunction(timezone.now)


class RoundFactory(DjangoModelFactory[review.Round]):
    class Meta:
        model = review.Round

    project = factory.SubFactory(ProjectFactory)
    number = factory.Sequence(lambda n: n + 1)
    selection = Selection.ALL
    state = RoundState.OPEN
    guideline = factory.SubFactory(GuidelineFactory, project=factory.SelfAttribute("..project"))
    opened_at = factory.LazyFunction(timezone.now)


class ReleaseFactory(DjangoModelFactory[releases.Release]):
    class Meta:
        model = releases.Release

    project = factory.SubFactory(ProjectFactory)
    version = factory.Sequence(lambda n: f"0.{n}.0")
    state = ReleaseState.PUBLISHED
    created_at = factory.LazyFunction(timezone.now)


class EndpointFactory(DjangoModelFactory[Endpoint]):
    class Meta:
        model = Endpoint

    project = factory.SubFactory(ProjectFactory)
    name = factory.Sequence(lambda n: f"endpoint-{n}")
    base_url = "http://127.0.0.1:9/v1"
    created_at = factory.LazyFunction(timezone.now)


def make_release_item(
    release: releases.Release, item: annotation.Item, **fields: Any
) -> releases.ReleaseItem:
    """An open test item of the release, frozen as the item is now."""
    return make_release_items(release, [(item, fields)])[0]


def make_release_items(
    release: releases.Release, rows: Sequence[tuple[annotation.Item, dict[str, Any]]]
) -> list[releases.ReleaseItem]:
    """A row of the release for each item, as `make_release_item` makes one of the same fields."""
    subjects = {item.subject: _frozen(release, item.subject) for item, _fields in rows}
    return releases.ReleaseItem.objects.bulk_create(
        releases.ReleaseItem(
            **{"split": "test", "subset": "open", "position": 0}
            | {"uid": item.uid, "public_id": item.uid, "key": item.key, "item_key": item.key}
            | {"explanation": item.explanation}
            | {"release": release, "item": item, "subject": subjects[item.subject]}
            | {"revision": item.working_translation and item.working_translation.current_revision}
            | fields
        )
        for item, fields in rows
    )


def _frozen(release: releases.Release, subject: projects.Subject) -> releases.ReleaseSubject:
    names = ("name", "category", "dimension", "level")
    frozen, _new = releases.ReleaseSubject.objects.get_or_create(
        release=release,
        slug=subject.slug,
        defaults={name: getattr(subject, name) for name in names},
    )
    return frozen


class ModelSpecFactory(DjangoModelFactory[ModelSpec]):
    class Meta:
        model = ModelSpec

    project = factory.SubFactory(ProjectFactory)
    endpoint = factory.SubFactory(EndpointFactory, project=factory.SelfAttribute("..project"))
    name = factory.Sequence(lambda n: f"model-{n}")
    model = "stand-in-strong"
    created_at = factory.LazyFunction(timezone.now)


def make_keyed_spec(project: projects.Project, variable: str) -> ModelSpec:
    """A model at an endpoint of the server whose key is in the environment variable `variable`."""
    endpoint = EndpointFactory(project=None, api_key_env=variable)
    endpoint.allowed_projects.add(project)
    return ModelSpecFactory(project=project, endpoint=endpoint)


class ApiTokenFactory(DjangoModelFactory[ApiToken]):
    class Meta:
        model = ApiToken

    user = factory.SubFactory(UserFactory)
    name = "test"
    token_hash = factory.LazyFunction(lambda: digest(uuid.uuid4()))
    created_at = factory.LazyFunction(timezone.now)
