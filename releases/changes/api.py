"""The API of differences between releases, as JSON and as Markdown."""

from typing import Any

from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS
from releases.changes.changelog import send_markdown
from releases.changes.differences import NoEarlierRelease, ReleaseDifference, compared
from releases.changes.public import LISTED, PublicPair, public_changelog, public_pair
from releases.models import Release
from releases.public.access import VIEW, MayRead, find_for_everybody
from releases.public.kept_answers import kept, not_for_search
from releases.selectors import release_for


class ChangeSerializer(serializers.Serializer[Any]):
    uid = serializers.CharField()
    subject = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()


class TextChangeSerializer(serializers.Serializer[Any]):
    """`parts` are the question and the options; a part is a list of [what became of it, text]."""

    uid = serializers.CharField()
    subject = serializers.CharField()
    parts = serializers.ListField(
        child=serializers.ListField(
            child=serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2)
        )
    )


class SubjectDifferenceSerializer(serializers.Serializer[Any]):
    subject = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())


class DifferenceSerializer(serializers.Serializer[Any]):
    """`counts` are of all items, `hidden` of those that the caller may not see.

    The lists hold the first thousand; the command `diff_releases` gives them whole.
    """

    before = serializers.CharField(help_text="A version, or “source”.")
    after = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())
    hidden = serializers.DictField(child=serializers.IntegerField())
    subjects = SubjectDifferenceSerializer(many=True)
    added = serializers.ListField(child=serializers.CharField())
    removed = serializers.ListField(child=serializers.CharField())
    text = TextChangeSerializer(many=True)
    key = ChangeSerializer(many=True)
    split = ChangeSerializer(many=True)
    subset = ChangeSerializer(many=True)
    category = ChangeSerializer(many=True)


class DifferenceView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(responses={200: DifferenceSerializer, 304: None, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str, old: str) -> HttpResponseBase:
        """Return what changed since an earlier release, or since `source`: items, texts, keys, places.

        Between two releases that everybody reads no account is needed. That answer may be kept for
        a minute and asked for again by its `ETag`; `source` is for members.
        """
        if release := _public(request, project, version):
            pair = _pair(release, old)
            answer = kept(
                request,
                parts=[*pair.parts, "json"],
                make=lambda: Response(DifferenceSerializer(pair.difference()).data),
            )
            return _for_callers(not_for_search(answer))
        found = _compared(request, project, version, old, most=LISTED)
        return Response(DifferenceSerializer(found).data)


class ChangelogView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(responses={(200, "text/markdown"): OpenApiTypes.STR, 304: None, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str, old: str) -> HttpResponseBase:
        """Return the whole difference to an earlier release, or to `source`, as a Markdown file."""
        if release := _public(request, project, version):
            return _for_callers(public_changelog(request, _pair(release, old)))
        return send_markdown(project, _compared(request, project, version, old, most=None))


def _public(request: Request, project: str, version: str) -> Release | None:
    """Return the release if everybody may read it and the caller may not read more of it."""
    found = find_for_everybody(project, version)
    return None if found and request.user.has_perm(VIEW, found) else found


def _pair(release: Release, old: str) -> PublicPair:
    pair = public_pair(release, old) if old else None
    if pair is None:
        raise NoEarlierRelease(version=release.version, old=old)
    return pair


def _compared(
    request: Request, project: str, version: str, old: str, *, most: int | None
) -> ReleaseDifference:
    user = caller(request)
    found = compared(user, release_for(user, project, version, VIEW), since=old, most=most)
    if found is None:
        raise NoEarlierRelease(version=version, old=old)
    return found


def _for_callers(answer: HttpResponseBase) -> HttpResponseBase:
    patch_vary_headers(answer, ["Authorization"])
    return answer
