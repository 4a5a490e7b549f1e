// While the Wylie switch under the editor is on, each syllable typed in Latin letters becomes Tibetan.
import { insert } from "./insert-bar.js";
import * as storage from "./storage.js";

const SYLLABLE = /[A-Za-z'+.~`^-]+$/;
let isOn = storage.read("setting", "wylie") === true;
/** wylie.js, once it is there. */
let wylie = null;

if (isOn) load();
show();

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-wylie]")) return;
  isOn = !isOn;
  storage.write("setting", "wylie", isOn);
  if (isOn) load();
  show();
});
document.addEventListener("focusin", show);
document.addEventListener("keydown", (event) => {
  const area = event.target;
  if (!isOn || !wylie || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!area.matches?.("textarea.target-edit")) return;
  const written = event.key === "Enter" ? "\n" : wylie.markOf(event.key);
  if (written !== null && convert(area, event.key, written)) event.preventDefault();
});

async function load() {
  wylie ??= await import("./wylie.js").catch(() => null);
  show();
}

/** Returns whether the key was written here, with the syllable before it. */
function convert(area, key, written) {
  if (area.selectionStart !== area.selectionEnd) return false;
  const before = area.value.slice(0, area.selectionStart);
  const latin = SYLLABLE.exec(before)?.[0] ?? "";
  const tibetan = latin && wylie.syllable(latin);
  if (tibetan) {
    area.setSelectionRange(before.length - latin.length, before.length);
    // A shad does not touch a nga.
    insert(area, tibetan + (key === "/" && tibetan.endsWith("ང") ? "་" : "") + written);
    return true;
  }
  const isAfterTibetan = /[\u0F00-\u0FFF]\s?$/.test(before);
  if (latin || key === " " || key === "Enter" || !isAfterTibetan) return false;
  insert(area, written);
  return true;
}

/** The switch looks on as soon as typing is converted, not while what converts is on its way. */
function show() {
  const isReady = isOn && wylie !== null;
  for (const button of document.querySelectorAll("[data-wylie]"))
    button.setAttribute("aria-pressed", String(isReady));
}
