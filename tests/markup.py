"""A page's markup without the white space that its template is laid out with."""

import re


def squeezed(html: str) -> str:
    return re.sub(r" ?([<>]) ?", r"\1", re.sub(r"\s+", " ", html))
