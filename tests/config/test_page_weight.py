"""What a slow line has to carry: pages are compressed, static files are kept for ever and never asked for again."""

import json
import re
from pathlib import Path

import pytest
from django.test import Client

HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")


@pytest.mark.slow
def test_every_module_imports_hashed_files_that_are_there(collected: Path) -> None:
    names = json.loads((collected / "staticfiles.json").read_text(encoding="utf-8"))["paths"]
    modules = [hashed for name, hashed in names.items() if name.startswith("js/")]
    imports = [
        (module, target)
        for module in modules
        for target in re.findall(
            r'(?:from |import\()"([^"]+)"', (collected / module).read_text(encoding="utf-8")
        )
    ]
    assert imports
    for module, target in imports:
        assert HASHED.search(target), (module, target)
        assert (collected / module).parent.joinpath(target).exists(), (module, target)


@pytest.mark.slow
def test_hashed_files_that_pages_load_are_packed_for_every_browser(collected: Path) -> None:
    names = json.loads((collected / "staticfiles.json").read_text(encoding="utf-8"))["paths"]
    loaded = [
        collected / hashed
        for name, hashed in names.items()
        if name.endswith((".js", ".css")) and "/redoc/" not in name
    ]
    assert len(loaded) > 50
    for file in loaded:
        plain = len(file.read_bytes())
        packed = [Path(f"{file}.{kind}") for kind in ("br", "gz")]
        assert plain < 1000 or all(path.stat().st_size < plain for path in packed), file


@pytest.mark.django_db
def test_page_is_compressed_for_a_browser_that_can_read_it() -> None:
    client = Client()
    whole = client.get("/help/")
    small = client.get("/help/", headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in whole.headers
    assert small["Content-Encoding"] == "gzip"
    assert len(small.content) < len(whole.content) / 2
    assert "Accept-Encoding" in small["Vary"]


@pytest.mark.django_db
def test_answers_for_programs_stay_as_they_are() -> None:
    answer = Client().get("/api/schema/", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers


def test_styles_and_scripts_are_compressed_and_not_sent_again_while_they_are_unchanged() -> None:
    client = Client()
    first = client.get("/static/js/workbench.js", headers={"Accept-Encoding": "gzip"})
    assert first["Content-Encoding"] == "gzip"
    assert b"".join(first.streaming_content)[:2] == b"\x1f\x8b"  # type: ignore[attr-defined]
    again = client.get(
        "/static/js/workbench.js", headers={"If-Modified-Since": first["Last-Modified"]}
    )
    assert again.status_code == 304
