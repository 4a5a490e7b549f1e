"""The threads on an item: who may read which comment, under which name, and whom they may name.

Blindness: while a panel is being judged, nobody who judges reads what others of its round say on
the item; reviewers not before it is settled, nor seniors who judged it. Managers do not judge:
they read everything at once, and everybody reads them.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Item
from common.errors import DomainError
from projects.enums import TEXT_ROLES, Role
from projects.models import Membership, Project
from projects.rules import role_in
from review.comments.mentions import GROUPS, Named, Part, find_strays, split_mentions
from review.enums import PanelState
from review.models import Comment, Judgement, Panel, Suggestion

MOST_NAMES = 8
OPEN_STATES = (PanelState.JUDGING, PanelState.DISPUTED)
_ROLE_OF_GROUP = {"seniors": Role.SENIOR, "managers": Role.MANAGER}


class ThreadUnknown(DomainError):
    code = "thread_unknown"
    detail = _("There is no such thread on this item.")
    status = 404


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads comments of a project; `judged` are ids of panels that they judged."""

    user: int
    role: Role | None
    leads_all: bool
    judged: frozenset[int] = frozenset()

    def is_kept_from(self, panel: Panel | None) -> bool:
        """Whether what others who judge said in the time of `panel` is not for this reader yet."""
        if self.leads_all or panel is None or panel.state not in OPEN_STATES:
            return False
        is_free = panel.state == PanelState.DISPUTED and self.role == Role.SENIOR
        return not is_free or panel.pk in self.judged

    def may_read(self, comment: Comment) -> bool:
        """Whether they may read a comment; `panel`, `thread` and its panel are selected."""
        if self.role not in TEXT_ROLES and not self.leads_all:
            return False
        return self._may_read_one(comment.thread or comment) and self._may_read_one(comment)

    def _may_read_one(self, comment: Comment) -> bool:
        if comment.is_from_manager or comment.author_id == self.user:
            return True
        return not self.is_kept_from(comment.panel)


@dataclass(frozen=True, slots=True)
class Said:
    """One comment as somebody reads it.

    `code` says who wrote it: you, manager, senior, reviewer. `name` is empty where the reader may
    not know it; reviewers then have a `letter`.
    """

    pk: int
    at: datetime
    code: str
    name: str
    letter: str
    parts: list[Part]
    round: int | None = None
    kind: str = "comment"

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment and its replies, oldest first; `reply_count` has those on other pages too."""

    first: Said
    replies: list[Said]
    reply_count: int
    is_resolved: bool
    can_resolve: bool


@dataclass(frozen=True, slots=True)
class ItemComments:
    """Everything said on an item that one person may read; `beside` came with judgements."""

    threads: list[Thread]
    beside: list[Said]


def reader_of(user: User, item: Item) -> Reader:
    role = role_in(user, item.project)
    judged = Judgement.objects.filter(panel__item=item, reviewer=user).values_list("panel")
    is_asked = role == Role.SENIOR
    panels = frozenset(pk for (pk,) in judged) if is_asked else frozenset()
    return Reader(user.pk, role, _leads_all(user, role), panels)


def comments_on(item: Item, user: User) -> ItemComments:
    """The threads on `item` and the comments given with judgements, as `user` may read them."""
    return _Listener(item, user).comments()


def readable(comment: Comment, user: User) -> bool:
    """Whether `user` may read one comment."""
    return reader_of(user, comment.item).may_read(comment)


def with_panels(rows: QuerySet[Comment]) -> QuerySet[Comment]:
    """Comments with all that `Reader.may_read` looks at."""
    return rows.select_related("item__project", "panel", "thread__panel", "author")


def with_comment_counts(panels: QuerySet[Panel]) -> QuerySet[Panel]:
    """Panels with `comment_count`, of their item: what anybody who judges may read at least.

    That is what was said before this panel and what managers began since. It costs no query of
    its own, and says nothing of what others of the panel have written.
    """
    mine = Q(panel=OuterRef("pk")) | Q(thread__panel=OuterRef("pk"))
    is_from_manager = Q(is_from_manager=True, thread__isnull=True)
    rows = Comment.objects.filter(~mine | is_from_manager, item=OuterRef("item")).order_by()
    counts = rows.values("item").annotate(n=Count("pk")).values("n")
    return panels.annotate(comment_count=Coalesce(Subquery(counts), 0))


def known_names(user: User, project: Project) -> list[Named]:
    """Whom `user` may name: those who lead name every reader of items, others managers and groups."""
    members = [
        (str(row.user), row.user_id, Role(row.role))
        for row in _nameable(user, project).order_by("user__name", "pk")
    ]
    people = [Named(name, (pk,)) for name, pk, role in members if _is_known(user, project, role)]
    return [*_groups(members), *people]


def names_like(user: User, project: Project, typed: str) -> list[Named]:
    """At most MOST_NAMES of `known_names` that hold `typed`, those that begin with it first."""
    wanted = typed.strip().casefold()
    found = [each for each in known_names(user, project) if wanted in each.words.casefold()]
    return sorted(found, key=lambda each: not each.words.casefold().startswith(wanted))[:MOST_NAMES]


def reached_nobody(comment: Comment) -> list[str]:
    """The words after an `@` in `comment` that reached nobody, as its author may know it.

    A name that its author may not know is no different from one that nobody has.
    """
    return find_strays(comment.text, known_names(comment.author, comment.item.project))


def can_resolve(user: User, thread: Comment) -> bool:
    """Who began a thread closes it, and those who lead."""
    role = role_in(user, thread.item.project)
    leads = _leads_all(user, role) or role == Role.SENIOR
    return leads or (thread.author_id == user.pk and role == Role.REVIEWER)


def _leads_all(user: User, role: Role | None) -> bool:
    return user.is_superuser or role == Role.MANAGER


def _nameable(user: User, project: Project) -> QuerySet[Membership]:
    rows: QuerySet[Membership] = Membership.objects.filter(project=project).working()
    return rows.exclude(user=user).filter(role__in=TEXT_ROLES).select_related("user")


def _is_known(user: User, project: Project, role: Role) -> bool:
    own = role_in(user, project)
    return _leads_all(user, own) or own == Role.SENIOR or role == Role.MANAGER


def _groups(members: list[tuple[str, int, Role]]) -> list[Named]:
    groups = [
        Named(group, tuple(pk for _name, pk, role in members if role == _ROLE_OF_GROUP[group]))
        for group in GROUPS
    ]
    return [group for group in groups if group.people]


class _Listener:
    """One person in front of one item."""

    def __init__(self, item: Item, user: User) -> None:
        self.item, self.user = item, user
        self.reader = reader_of(user, item)
        self.letters: dict[int, str] = {}
        self.roles: dict[int, str] = dict(item.project.memberships.values_list("user", "role"))
        self.shows_names = self.reader.leads_all or (
            self.reader.role == Role.SENIOR
            and not Panel.objects.filter(item=item, state__in=OPEN_STATES).exists()
        )

    def comments(self) -> ItemComments:
        beside = self._beside()
        rows = with_panels(Comment.objects.filter(item=self.item)).prefetch_related("mentions")
        told = [row for row in rows.order_by("pk") if self.reader.may_read(row)]
        replies: dict[int, list[Said]] = {row.pk: [] for row in told if row.thread_id is None}
        said = [(row, self._said(row)) for row in told]
        for row, each in said:
            if row.thread_id is not None:
                replies[row.thread_id].append(each)
        threads = [
            self._thread(row, each, replies[row.pk]) for row, each in said if row.thread_id is None
        ]
        return ItemComments(sorted(threads, key=lambda thread: thread.is_resolved), beside)

    def _thread(self, row: Comment, first: Said, replies: list[Said]) -> Thread:
        return Thread(
            first=first,
            replies=replies,
            reply_count=len(replies),
            is_resolved=row.resolved_at is not None,
            can_resolve=self._can_resolve(row),
        )

    def _can_resolve(self, row: Comment) -> bool:
        leads = self.reader.leads_all or self.reader.role == Role.SENIOR
        return leads or row.author_id == self.user.pk

    def _said(self, row: Comment) -> Said:
        words = [mention.words for mention in row.mentions.all()]
        parts = [self._shown(part) for part in split_mentions(row.text, words)]
        code = "manager" if row.is_from_manager else self._code(row.author_id)
        return Said(row.pk, row.created_at, *self._who(row.author, code), parts)

    def _shown(self, part: Part) -> Part:
        """Names are for readers who know names; others learn that somebody was named."""
        is_free = self.shows_names or part.text[1:].casefold() in {
            *GROUPS,
            str(self.user).casefold(),
        }
        return part if is_free or not part.is_mention else Part("@…", is_mention=True)

    def _beside(self) -> list[Said]:
        """Comments of judgements and of suggestions that came too late for one, oldest first."""
        judged = Judgement.objects.filter(panel__item=self.item).select_related("reviewer")
        late = Suggestion.objects.filter(panel__item=self.item).select_related("author")
        rows = [
            *((row, row.reviewer, row.submitted_at, "judgement") for row in _spoken(judged)),
            *((row, row.author, row.created_at, "suggestion") for row in _spoken(late)),
        ]
        return [
            Said(
                row.pk,
                at,
                *self._who(author, self._code(author.pk)),
                [Part(row.comment)],
                round=row.panel.round.number,
                kind=kind,
            )
            for row, author, at, kind in sorted(rows, key=lambda row: row[2])
            if self._hears(row.panel, author)
        ]

    def _hears(self, panel: Panel, author: User) -> bool:
        """As the item's history: nobody hears another's judgement before the panel is complete."""
        if author.pk == self.user.pk:
            return True
        return panel.state != PanelState.JUDGING and not self.reader.is_kept_from(panel)

    def _code(self, author: int) -> str:
        role = self.roles.get(author, Role.REVIEWER)
        return role if role in (Role.MANAGER, Role.SENIOR) else "reviewer"

    def _who(self, author: User, code: str) -> tuple[str, str, str]:
        """Code, name and letter."""
        if author.pk == self.user.pk:
            return "you", "", ""
        if self.shows_names or code == "manager":
            return code, str(author), ""
        if code != "reviewer":
            return code, "", ""
        return code, "", self.letters.setdefault(author.pk, _letter(len(self.letters)))


def _spoken(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.exclude(comment="").select_related("panel__round").order_by("pk")


def _letter(index: int) -> str:
    return chr(ord("A") + index) if index < 26 else str(index + 1)
