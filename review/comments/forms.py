"""What people type into threads."""

from django import forms

from common.db import LARGEST_ID


class CommentForm(forms.Form):
    """A comment; `thread` is the first comment of the thread that it answers, none to begin one."""

    text = forms.CharField(required=False)
    thread = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)
    idempotency_key = forms.CharField(required=False, max_length=100)
