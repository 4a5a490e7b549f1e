"""Keys of pages go through one machine, which is tried under every layout; other listeners are few and named."""

import re
from collections import Counter
from pathlib import Path

from django.conf import settings

LISTENER = re.compile(r"""(?:addEventListener\(\s*["'`]|\.on)key(?:down|up|press)\b""")
# None of these gives a letter or a digit a meaning of its own.
OTHERS = {
    "adjudication.js": "Escape closes the guideline and the question",
    "app.js": "Escape closes a menu",
    "boot.js": "keeps what is pressed before keyboard.js listens",
    "checks.js": "Escape answers the question about an error",
    "comments.js": "arrows and Enter choose a name",
    "duplicates.js": "Enter in a reason presses no button",
    "editing.js": "Tab goes from text to text",
    "insert-bar.js": "F2 goes to the characters, arrows go along them",
    "judgement-sheet.js": "Escape closes the sheet",
    "language-panel.js": "Escape closes the dialog",
    "wylie-typing.js": "writes Tibetan in a text",
}
TWO = {"insert-bar.js"}


def listeners(text: str) -> int:
    return len(LISTENER.findall(text))


def test_only_the_keyboard_and_what_is_named_listen_to_keys() -> None:
    files = Path(settings.ROOT / "static/js").glob("*.js")
    found = Counter({file.name: listeners(file.read_text("utf-8")) for file in files})

    allowed = dict.fromkeys(["keyboard.js", *OTHERS], 1) | dict.fromkeys(TWO, 2)
    assert {name: number for name, number in found.items() if number} == allowed


def test_a_listener_is_found_however_it_is_written() -> None:
    for text in (
        'form.addEventListener("keydown", act);',
        "document.addEventListener(\n  'keyup', act, true);",
        "field.onkeypress = act;",
    ):
        assert listeners(text) == 1
    assert listeners('form.addEventListener("click", act);') == 0
