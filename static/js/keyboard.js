// The keyboard of the page: gives what is pressed to the machine of keys.js and lets the page do what comes out.
// Single keys work only outside text fields, without a modifier, and not while an input method composes.
import { begin, press, tell } from "./keys.js";
import { settings } from "./shortcuts.js";
import * as storage from "./storage.js";

const TEXT = "textarea, select, [contenteditable]:not([contenteditable=false]), "
  + "input:not([type=radio], [type=checkbox], [type=button], [type=submit])";
const FACTS = ["key", "code", "shiftKey", "ctrlKey", "metaKey", "altKey", "repeat"];
const handlers = {
  help: showKeymap,
  leave: () => {
    document.activeElement.blur();
    return false;
  },
};
let state = begin(undefined, storage.read("setting", "other-script") ?? false);
/** Keys that were pressed while the page could not act on them, in their order. */
let waiting = [];
let isHeld = false;

document.addEventListener("keydown", (event) => {
  if (isComposing(event) || event.defaultPrevented) return;
  if (isHeld && isKept(event)) {
    waiting.push(event);
    event.preventDefault();
  } else if (take(event)) event.preventDefault();
});

export function isComposing(event) {
  return event.isComposing || event.keyCode === 229;
}

export function showKeymap() {
  document.getElementById("keymap")?.showModal();
}

export function isTyping(element) {
  return Boolean(element?.closest?.(TEXT));
}

/**
 * Let keys act: `mode` is one of keys.js, `more` maps what its actions `do` to functions. A function that returns
 * false lets the key through. Keys that were pressed before the page listened follow at once, unless they are held.
 */
export function bindKeys(mode, more) {
  addKeys(more);
  enter(mode);
  const early = globalThis.lotsawaEarlyKeys?.take() ?? [];
  for (const event of early) if (!isComposing(event) && isKept(event)) waiting.push(event);
  if (!isHeld) replay();
}

/** Let further letters of the keyboard map act. */
export function addKeys(more) {
  Object.assign(handlers, more);
}

/** Show the keys something else, such as the next item; what was pressed is forgotten. */
export function enter(mode) {
  state = begin(mode, state.isOther);
}

/** Keep what is pressed from now on for `release`. */
export function hold() {
  isHeld = true;
}

/** Act again, first on what was pressed meanwhile; `forget` it where it was not meant for what the page shows now. */
export function release({ forget = false } = {}) {
  if (forget) waiting = [];
  isHeld = false;
  replay();
}

/** Tell the keys what happened without them; returns the state, in which `aim` or `text` may be another. */
export function tellKeys(fact) {
  state = tell(state, fact);
  return state;
}

function replay() {
  while (waiting.length && !isHeld) take(waiting.shift());
}

/** Whether the key did something here. */
function take(event) {
  const facts = Object.fromEntries(FACTS.map((name) => [name, event[name]]));
  const [next, action] = press(state, {
    ...facts,
    isAltGraph: Boolean(event.getModifierState?.("AltGraph")),
    isTyping: isTyping(document.activeElement),
    isDialogOpen: isDialogOpen(),
  }, settings());
  if (next.isOther !== state.isOther) storage.write("setting", "other-script", next.isOther);
  state = next;
  return Boolean(action && handlers[action.do]) && handlers[action.do](action) !== false;
}

/**
 * Whether it may be a key of the page: what is typed into a text is not kept, nor what moves the focus. A second
 * Ctrl + Enter straight after the first is not meant for the next item.
 */
function isKept(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return waiting.length > 0;
  return !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)
    && (event.key.length === 1 || /^(Key|Digit|Numpad[0-9])/.test(event.code));
}

function isDialogOpen() {
  return Boolean(document.querySelector("dialog[open]"));
}
