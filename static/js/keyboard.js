// Single-key shortcuts work only outside text fields, without a modifier, and not while an input method composes.
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
    if (event.key === "?") take(event, () => document.getElementById("keymap")?.showModal());
    else if (digit && /^[0-9]$/.test(event.key)) take(event, () => digit(Number(event.key)));
    else if (event.shiftKey && shifted && /^[A-Za-z]$/.test(event.key))
      take(event, () => shifted(event.key.toUpperCase()));
    else if (!event.shiftKey && keys[actionOf(event.key)]) take(event, keys[actionOf(event.key)]);
  });
}

function take(event, run) {
  if (!event.repeat && run() !== false) event.preventDefault();
}

function isDialogOpen() {
  return Boolean(document.querySelector("dialog[open]"));
}
