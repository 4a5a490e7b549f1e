"""Write texts for the YAML of cards, tasks and citations as JSON, which is YAML too."""

import json
import re

_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufffe\uffff]")
"""What JSON holds as it is, and YAML does not or takes for the end of a line."""


def yaml_text(text: str) -> str:
    """Return a text in double quotes, from which any reader of YAML gets the same text back."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
