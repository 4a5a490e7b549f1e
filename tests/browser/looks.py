"""What keeps a page from anyone: barriers that axe sees, what sticks out, what a finger misses."""

from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.people import SIZES

SMALLEST_TARGET = 24
STICKS_OUT = """() => {
    const wide = document.documentElement.clientWidth;
    const inside = element => element.closest('.table-wrap, pre, [data-scrolls]');
    const found = [...document.querySelectorAll('main *, header *, nav *')]
        .filter(element => element.getBoundingClientRect().right > wide + 1 && !inside(element))
        .map(element => element.outerHTML.slice(0, 120));
    return document.documentElement.scrollWidth > wide ? found.slice(0, 3) : [];
}"""
# WCAG 2.5.8: 24 × 24 CSS pixels, but for links inside a sentence and what the browser itself draws.
TOO_SMALL = """least => [...document.querySelectorAll('button, summary, select, a.btn, nav a, label.btn, .scale label, .chips label, .verdict label')]
    .filter(element => element.checkVisibility({visibilityProperty: true}) && !element.closest('.visually-hidden'))
    .map(element => [element.getBoundingClientRect(), element])
    .filter(([box]) => box.width > 0 && (box.width < least || box.height < least))
    .map(([box, element]) => `${Math.round(box.width)}×${Math.round(box.height)} ${element.outerHTML.slice(0, 100)}`)"""

# Only what is bad leaves the page: axe's whole account of a page takes longer to read than to write.
VIOLATIONS = """async options => (await axe.run(document, options)).violations
    .flatMap(one => one.nodes.map(node => `${one.id}: ${node.html.slice(0, 160)}`))"""


def barriers(page: Page, axe: Axe) -> list[str]:
    """What axe finds, in light and in dark; only colours differ in the dark."""
    show_in(page, "light")
    found = _violations(page, axe, {})
    show_in(page, "dark")
    return found + _violations(
        page, axe, {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
    )


def misfits(page: Page) -> list[str]:
    """What sticks out of a phone, large or small, and what is too small for a finger."""
    found: list[str] = []
    for size in ("phone", "small phone"):
        page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
        found += [f"{size}, sticks out: {element}" for element in page.evaluate(STICKS_OUT)]
        small = page.evaluate(TOO_SMALL, SMALLEST_TARGET)
        found += [f"{size}, too small: {element}" for element in small]
    return found


def show_in(page: Page, theme: Literal["light", "dark"]) -> None:
    """Change the theme and wait until every colour has arrived."""
    page.emulate_media(color_scheme=theme)
    page.evaluate(
        """async theme => {
            const frame = () => new Promise(requestAnimationFrame);
            while (!matchMedia(`(prefers-color-scheme: ${theme})`).matches) await frame();
            await frame();
            await frame();  // now the styles of the theme are computed, and what they start has begun
            for (let round = 0; round < 3; round += 1) {  // one that ends can begin another
                await Promise.allSettled(document.getAnimations().map(one => one.finished));
                await frame();
            }
        }""",
        theme,
    )


def _violations(page: Page, axe: Axe, options: dict[str, object]) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.axe_script)
    found: list[str] = page.evaluate(VIOLATIONS, {"resultTypes": ["violations"], **options})
    return found
