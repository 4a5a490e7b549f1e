"""What management commands print."""

import json
from io import StringIO
from typing import Any

from django.core.management import call_command


def printed(*words: object) -> Any:
    """Run a command with --json and return what it prints."""
    out = StringIO()
    call_command(*map(str, words), "--json", stdout=out)
    return json.loads(out.getvalue())
