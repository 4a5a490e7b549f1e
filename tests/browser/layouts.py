"""Keyboards of four layouts, and somebody who types on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from playwright.sync_api import Page

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the keys write where that is not what is printed on an American keyboard.

    `places` has the place of a key by what is meant, where that is another one.
    """

    name: str
    writes: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    is_shifted: str = ""
    """Signs that are written with Shift alone."""

    def press(self, page: Page, *keys: str) -> None:
        """Press the keys one after the other; each is a letter, a digit, `?` or "submit"."""
        for key in keys:
            page.evaluate(
                """event => document.activeElement.dispatchEvent(
                    new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...event}))""",
                self.event(key),
            )

    def event(self, key: str) -> dict[str, object]:
        """What a browser tells of the key; a capital letter is pressed with Shift."""
        if key == "submit":
            return {"key": "Enter", "code": "Enter", "ctrlKey": True}
        if key == "Escape":
            return {"key": key, "code": key}
        small = key.lower()
        written = self.writes.get(small, small)
        code = self.places.get(small) or (
            "Slash" if key == "?" else f"Digit{key}" if key.isdecimal() else f"Key{key.upper()}"
        )
        is_shifted = key.isupper() or key == "?" or key in self.is_shifted
        return {
            "key": written.upper() if key.isupper() else written,
            "code": code,
            "shiftKey": is_shifted,
        }


_CYRILLIC = dict(zip("qwertyuiopasdfghjklzxcvbnm", "йцукенгшщзфывапролдячсмить", strict=True))
_TIBETAN = dict(zip("abcdefghijklmnopqrstuvwxyz", "ཨབཅདཧཐགྷིྐཀལམནོཔཆརསཏུཝཞཤཡཟ", strict=False))

LAYOUTS = (
    Layout("american"),
    Layout(
        "french",
        places={"a": "KeyQ", "q": "KeyA", "z": "KeyW", "w": "KeyZ", "m": "Semicolon", "?": "KeyM"},
        is_shifted="0123456789",
    ),
    Layout(
        "tibetan",
        writes={**_TIBETAN, **{str(n): chr(0x0F20 + n) for n in range(10)}, "?": "༄"},
    ),
    Layout(
        "cyrillic",
        # Signs in the row of digits, as in Mongolia; they follow a letter of the same layout.
        writes={**_CYRILLIC, **dict(zip("1234567890", '№-":,._%₮=', strict=True)), "?": ","},
    ),
)
