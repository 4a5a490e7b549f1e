// Single-key shortcuts work only outside text fields, without a modifier, and not while an input method composes.
import { digitOf, isQuestionMark, letterOf } from "./layouts.js";
import { actionOf, areOn } from "./shortcuts.js";

const TEXT = "textarea, select, [contenteditable]:not([contenteditable=false]), "
  + "input:not([type=radio], [type=checkbox], [type=button], [type=submit])";

export function isComposing(event) {
  return event.isComposing || event.keyCode === 229;
}

export function isTyping(element) {
  return Boolean(element?.closest?.(TEXT));
}

/**
 * `keys` maps an action of the keyboard map to a function; `digit` takes 0 to 9; `submit` answers Ctrl or
 * Cmd + Enter; `shifted` takes a letter pressed with Shift. A handler that returns false lets the key through.
 */
export function bindKeys({ keys = {}, digit = null, shifted = null, submit = null }) {
  document.addEventListener("keydown", (event) => {
    if (isComposing(event) || event.defaultPrevented) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (submit && !isDialogOpen()) take(event, submit);
      return;
    }
    if (event.key === "Escape" && isTyping(event.target) && !isDialogOpen()) {
      event.target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen() || !areOn()) return;
    const letter = letterOf(event);
    const number = digitOf(event);
    if (isQuestionMark(event)) take(event, () => document.getElementById("keymap")?.showModal());
    else if (digit && number !== null) take(event, () => digit(number));
    else if (event.shiftKey && shifted && /^[a-z]$/.test(letter)) take(event, () => shifted(letter.toUpperCase()));
    else if (!event.shiftKey) act(event, keys[actionOf(event.key)] ?? keys[actionOf(letter)]);
  });
}

function act(event, action) {
  if (action) take(event, action);
}

function take(event, run) {
  if (!event.repeat && run() !== false) event.preventDefault();
}

function isDialogOpen() {
  return Boolean(document.querySelector("dialog[open]"));
}
