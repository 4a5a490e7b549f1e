"""The smallest valid row of each table."""

import hashlib
import uuid
from typing import Any

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from accounts.models import ApiToken, User
from annotation import models as annotation
from annotation.enums import Origin, Role
from common.models import Job
from evaluation import models as evaluation
from releases import models as releases
from releases.enums import ReleaseState
from review import models as review
from review.enums import Selection

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


class ProjectFactory(DjangoModelFactory[annotation.Project]):
    class Meta:
        model = annotation.Project

    slug = factory.Sequence(lambda n: f"project-{n}")
    name = factory.Sequence(lambda n: f"Project {n}")
    source_language = "zh"
    target_language = "bo"
    created_at = factory.LazyFunction(timezone.now)


class MembershipFactory(DjangoModelFactory[annotation.Membership]):
    class Meta:
        model = annotation.Membership

    project = factory.SubFactory(ProjectFactory)
    user = factory.SubFactory(UserFactory)
    role = Role.REVIEWER
    created_at = factory.LazyFunction(timezone.now)


class SourceFactory(DjangoModelFactory[annotation.Source]):
    class Meta:
        model = annotation.Source

    project = factory.SubFactory(ProjectFactory)
    name = factory.Sequence(lambda n: f"source {n}")
    checksum = "0" * 64
    created_at = factory.LazyFunction(timezone.now)


class SubjectFactory(DjangoModelFactory[annotation.Subject]):
    class Meta:
        model = annotation.Subject

    project = factory.SubFactory(ProjectFactory)
    slug = factory.Sequence(lambda n: f"subject_{n}")
    name = factory.Sequence(lambda n: f"Subject {n}")


class ItemFactory(DjangoModelFactory[annotation.Item]):
    class Meta:
        model = annotation.Item

    project = factory.SubFactory(ProjectFactory)
    source = factory.SubFactory(SourceFactory, project=factory.SelfAttribute("..project"))
    subject = factory.SubFactory(SubjectFactory, project=factory.SelfAttribute("..project"))
    uid = factory.Sequence(lambda n: f"subject/{n}")
    question = factory.Sequence(lambda n: f"source question {n}")
    options = factory.LazyFunction(lambda: ["one", "two", "three", "four"])
    key = "A"
    content_hash = factory.LazyAttribute(lambda item: digest((item.uid, item.question)))
    created_at = factory.LazyFunction(timezone.now)


def make_translated_item(
    *,
    question: str = "འདྲི་བ།",
    options: list[str] | None = None,
    system: str = "mt",
    author: User | None = None,
    **item_fields: Any,
) -> annotation.Item:
    """An item with a working translation whose current revision has the given text."""
    item = ItemFactory(**item_fields)
    translation = annotation.Translation.objects.create(
        item=item, system=system, created_at=timezone.now()
    )
    options = options if options is not None else ["གཅིག", "གཉིས", "གསུམ", "བཞི"]
    revision = annotation.Revision.objects.create(
        translation=translation,
        number=1,
        question=question,
        options=options,
        origin=Origin.HUMAN if author else Origin.MT,
        author=author,
        content_hash=digest((question, options)),
        created_at=timezone.now(),
    )
    translation.current_revision = revision
    translation.save(update_fields=["current_revision"])
    item.working_translation = translation
    item.save(update_fields=["working_translation"])
    return item


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
    guideline = factory.SubFactory(GuidelineFactory, project=factory.SelfAttribute("..project"))
    opened_at = factory.LazyFunction(timezone.now)


class ReleaseFactory(DjangoModelFactory[releases.Release]):
    class Meta:
        model = releases.Release

    project = factory.SubFactory(ProjectFactory)
    version = factory.Sequence(lambda n: f"0.{n}.0")
    state = ReleaseState.PUBLISHED
    created_at = factory.LazyFunction(timezone.now)


class ModelSpecFactory(DjangoModelFactory[evaluation.ModelSpec]):
    class Meta:
        model = evaluation.ModelSpec

    project = factory.SubFactory(ProjectFactory)
    name = factory.Sequence(lambda n: f"model-{n}")
    base_url = "http://127.0.0.1:9/v1"
    model = "stand-in-strong"
    created_at = factory.LazyFunction(timezone.now)


class ApiTokenFactory(DjangoModelFactory[ApiToken]):
    class Meta:
        model = ApiToken

    user = factory.SubFactory(UserFactory)
    name = "test"
    token_hash = factory.LazyFunction(lambda: digest(uuid.uuid4()))
    created_at = factory.LazyFunction(timezone.now)
