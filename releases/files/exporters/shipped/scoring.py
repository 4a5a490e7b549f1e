"""Reads an option letter out of a model's response, by the methods "direct" and "concern all".

Reasoning (`<think>…</think>` and the like) is removed first. The letters are A to J, as many as the
item has options. `script` are the letters that stand for them in the language's own script, or "".
"""

LETTERS = "ABCDEFGHIJ"
TAGS = ("think", "reasoning", "thought", "analysis", "step")


def direct(response: str, option_count: int, script: str = "") -> str | None:
    """Return the only option letter that occurs anywhere; a script letter if no Latin one decides."""
    text = without_reasoning(response)
    latin = set(latin_letters(text, option_count))
    if len(latin) == 1:
        return latin.pop()
    found = set(script_letters(text, option_count, script))
    return found.pop() if len(found) == 1 else None


def concern_all(response: str, option_count: int, script: str = "") -> str | None:
    """Drop complete lists of the options from the letters; return the only letter that is left."""
    text = without_reasoning(response)
    letters = latin_letters(text, option_count) or script_letters(text, option_count, script)
    kept = set(without_complete_lists(letters, option_count))
    return kept.pop() if len(kept) == 1 else None


def latin_letters(text: str, option_count: int) -> str:
    return "".join(letter for letter in text if letter in LETTERS[:option_count])


def script_letters(text: str, option_count: int, script: str) -> str:
    """Return the script letters of the text, each as the Latin letter that it stands for."""
    latin = dict(zip(script[:option_count], LETTERS, strict=False))
    return "".join(latin[letter] for letter in text if letter in latin)


def without_complete_lists(letters: str, option_count: int) -> list[str]:
    """Return what is kept when each run of `option_count` different letters is dropped."""
    buffer: list[str] = []
    kept: list[str] = []
    for letter in letters:
        buffer.append(letter)
        if len(buffer) == option_count and len(set(buffer)) == option_count:
            buffer = []
        elif len(buffer) > option_count:
            kept += buffer[: 1 - option_count]
            buffer = buffer[1 - option_count :]
    return kept + buffer


def without_reasoning(response: str) -> str:
    """Remove reasoning between tags, what an open tag begins, and o1-style logs."""
    text = response
    for tag in TAGS:
        text = without(text, f"<{tag}>", f"</{tag}>")
    for tag in TAGS:
        text = text.rpartition(f"</{tag}>")[2].partition(f"<{tag}>")[0]
    return without(text, "Reasoning", "Reasoned", "seconds")


def without(text: str, opening: str, *marks: str) -> str:
    """Remove each part from `opening` to the last of the marks that follow it in this order.

    Takes time in proportion to the text, also where parts have no end.
    """
    kept, position = "", 0
    while (start := text.find(opening, position)) >= 0:
        end = start + len(opening)
        for mark in marks:
            place = text.find(mark, end)
            if place < 0:
                return kept + text[position:]
            end = place + len(mark)
        kept += text[position:start]
        position = end
    return kept + text[position:]
