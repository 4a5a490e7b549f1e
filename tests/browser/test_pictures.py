"""The pictures that the documentation names are those that `make screenshots` takes, there and light."""

import re

from tests.browser.pictures import FOLDER, LARGEST, NAMES
from tests.browser.site import ROOT

PAGES = (ROOT / "README.md", ROOT / "docs" / "first-hour.md")


def test_pictures_in_the_folder_and_in_pages_are_those_that_are_taken() -> None:
    there = {path.stem: path.stat().st_size for path in FOLDER.glob("*.png")}
    assert set(there) == set(NAMES)
    assert [name for name, size in there.items() if size >= LARGEST] == []
    for page in PAGES:
        named = re.findall(r"images/([\w-]+)\.png", page.read_text(encoding="utf-8"))
        assert named, page
        assert set(named) <= set(NAMES), page
