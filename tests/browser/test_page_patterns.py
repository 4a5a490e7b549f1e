"""The regular expressions of page scripts take time in proportion to the text that they meet."""

import re
from pathlib import Path

import pytest

from tests.browser.people import People
from tests.test_linear_patterns import AT_MOST, END, UNITS

SCRIPTS = sorted((Path(__file__).parents[2] / "static" / "js").glob("*.js"))
# A slash begins a pattern where no value can stand before it.
WRITTEN = re.compile(
    r"(?<=[(=,!&|?: ])/(?![/* ])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\n\\\[])+)/([a-z]*)(?=[.,;)])"
)
BUILT = "new RegExp("
MARKS = {"marks of a letter": "\u0301", "joiners": "\u200d", "letters and joiners": "a\u200d"}
SIZES = (5_000, 20_000)
MILLISECONDS = 20
"""Below this nobody waits, and the clock would decide."""

MEASURE = """async ([scripts, written, units, end, sizes]) => {
    const patterns = written.map(([source, flags]) => new RegExp(source, flags));
    const Original = RegExp;
    globalThis.RegExp = new Proxy(Original, {construct(target, given) {
        patterns.push(new target(...given));
        return patterns.at(-1);
    }});
    for (const script of scripts) await import(`/static/js/${script}?built`);
    globalThis.RegExp = Original;
    const took = (pattern, text) => Math.min(...[1, 2, 3].map(() => {
        const began = performance.now();
        for (const _match of text.matchAll(pattern));
        return performance.now() - began;
    }));
    return patterns.flatMap(({source, flags}) => {
        const pattern = new Original(source, flags.replace(/[gy]/g, "") + "g");
        return units.map(unit => [source, unit, ...sizes.map(
            size => took(pattern, unit.repeat(size / unit.length) + end))]);
    });
}"""


@pytest.mark.slow
def test_no_pattern_of_a_page_takes_more_than_its_share_of_a_longer_text(people: People) -> None:
    texts = {script.name: script.read_text("utf-8") for script in SCRIPTS}
    written = [match.groups() for text in texts.values() for match in WRITTEN.finditer(text)]
    building = [name for name, text in texts.items() if BUILT in text]
    page = people.page_as()
    page.goto("/")

    measured = page.evaluate(
        MEASURE, [building, written, list((UNITS | MARKS).values()), END, SIZES]
    )

    assert len({source for source, *_rest in measured}) > 25
    slow = [
        (source, unit)
        for source, unit, short, long in measured
        if long > MILLISECONDS and long > AT_MOST * short
    ]
    assert slow == []
