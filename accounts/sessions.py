"""Sessions in the database, whose one query at every request is built once."""

from datetime import datetime
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from common.prepared import prepared


class SessionStore(DatabaseStore):
    """Django's store; `SESSION_ENGINE` names this module."""

    def _get_session_from_db(self) -> Any:
        if "\0" in (self.session_key or "\0"):  # PostgreSQL takes no text with a zero byte
            self._session_key = None
            return None
        found = _running.first(key=self.session_key, now=timezone.now())
        if found is None:
            self._session_key = None
        return found


@prepared(key=str, now=datetime)
def _running(key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)
