"""What keeps a page from anyone: barriers that axe sees, what sticks out, what a finger misses."""

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
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

# Contrast takes axe four times as long as all its other rules, so of texts that look alike it sees one:
# the same letters on the same ground.
SAMPLE = """() => {
    const groundOf = element => {
        for (let at = element; at; at = at.parentElement) {
            const { backgroundColor, backgroundImage } = getComputedStyle(at);
            if (backgroundImage !== 'none') return backgroundImage;
            if (!backgroundColor.endsWith(', 0)')) return backgroundColor;
        }
        return '';
    };
    const faintnessOf = element => {
        let found = 1;
        for (let at = element; at; at = at.parentElement) found *= getComputedStyle(at).opacity;
        return found;
    };
    const holdsText = element => element.matches('input, select, textarea')
        || [...element.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim());
    const seen = new Set();
    for (const element of document.body.querySelectorAll('*')) {
        element.removeAttribute('data-sample');
        if (!holdsText(element) || !element.checkVisibility()) continue;
        const { color, fontSize, fontWeight } = getComputedStyle(element);
        const look = [color, fontSize, fontWeight, groundOf(element), faintnessOf(element)].join();
        if (!seen.has(look)) element.setAttribute('data-sample', '');
        seen.add(look);
    }
}"""
# Only what is bad leaves the page: axe's whole account of a page takes longer to read than to write.
VIOLATIONS = f"""async options => {{
    const mark = {SAMPLE};
    mark();
    axe.configure({{rules: [{{id: 'color-contrast', selector: '[data-sample]'}}]}});
    const found = await axe.run(document, {{resultTypes: ['violations'], preload: false, ...options}});
    return found.violations.flatMap(one => one.nodes.map(node => `${{one.id}}: ${{node.html.slice(0, 160)}}`));
}}"""
THEMES: tuple[tuple[Literal["light", "dark"], dict[str, Any]], ...] = (
    ("dark", {"runOnly": {"type": "rule", "values": ["color-contrast"]}}),
    ("light", {}),
)


def barriers(page: Page) -> list[str]:
    """Return what axe finds, in light and in dark; only colours differ in the dark."""
    page.wait_for_load_state()  # until then a style sheet may be missing
    if not page.evaluate("'axe' in window"):
        page.add_init_script(AXE_SCRIPT)  # for the pages that follow; this one is loaded already
        page.evaluate(AXE_SCRIPT)
    found: list[str] = []
    for theme, options in THEMES:
        show_in(page, theme)
        found += [f"{theme}: {bad}" for bad in page.evaluate(VIOLATIONS, options)]
    return found


def misfits(page: Page) -> list[str]:
    """Return what sticks out of a phone, large or small, and what is too small for a finger."""
    page.wait_for_load_state()  # until then a style sheet may be missing
    found: list[str] = []
    before = page.viewport_size
    for size in ("phone", "small phone"):
        page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
        wide, small = page.evaluate(
            f"least => [({STICKS_OUT})(), ({TOO_SMALL})(least)]", SMALLEST_TARGET
        )
        found += [f"{size}, sticks out: {element}" for element in wide]
        found += [f"{size}, too small: {element}" for element in small]
    if before:
        page.set_viewport_size(before)
    return found


def show_in(page: Page, theme: Literal["light", "dark"]) -> None:
    """Change the theme, and wait until the colours are drawn; nothing moves, as people ask for that."""
    page.emulate_media(color_scheme=theme)
    page.evaluate(
        """async theme => {
            const frame = () => new Promise(requestAnimationFrame);
            while (!matchMedia(`(prefers-color-scheme: ${theme})`).matches) await frame();
            await frame();
        }""",
        theme,
    )
