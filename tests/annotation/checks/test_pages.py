"""The pages of docs/checks say what the classes of the checks say."""

import sys
from pathlib import Path

from annotation.checks.catalogue.labels import KINDS, describe
from annotation.checks.pages import documentation

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import check_pages  # noqa: E402


def test_pages_of_the_checks_are_up_to_date() -> None:
    assert check_pages.stale_pages(ROOT / "docs" / "checks") == []


def test_stale_missing_and_surplus_pages_are_named_with_the_way_out(tmp_path: Path) -> None:
    for name, text in documentation().items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "empty_text.md").write_text("# Something else", "utf-8")
    (tmp_path / "key_changed.md").unlink()
    (tmp_path / "gone.md").write_text("# A check that is gone", "utf-8")

    assert check_pages.stale_pages(tmp_path) == [
        f"docs/checks/{name}.md does not say what its check says. "
        "Run make docs and commit the result."
        for name in ("empty_text", "gone", "key_changed")
    ]


def test_every_kind_says_all_of_itself_and_names_only_kinds_that_exist() -> None:
    for code, kind in KINDS.items():
        texts = (kind.title, kind.sentence, kind.why, kind.faulty, kind.sound, kind.fix)
        assert all((*texts, kind.when_wrong)), code
        assert kind.explains <= set(KINDS), code
        for reason, words in kind.reasons.items():
            assert words in describe(code, {"reason": reason, "found": "A"}), (code, reason)
