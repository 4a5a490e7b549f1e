// While the Wylie switch under the editor is on, each syllable typed in Latin letters becomes Tibetan.
import { insert, isInLanguage } from "./insert-bar.js";
import * as storage from "./storage.js";

const LETTER = /[A-Za-z'+.~`^-]/;
/** Signs that stay what they are, after a syllable that is Tibetan. */
const SIGN = /^[?!,)\]}"”’»>…]$/;
let isOn = storage.read("setting", "wylie") === true;
/** wylie.js, once it is there. */
let wylie = null;
/** Whether the last letter was typed and not yet converted: only then is leaving the text the end of a syllable. */
let isOpen = false;
/** Whether the keyboard says what it writes; those of phones often do not. */
let saysKey = true;

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
// Before others hear of it: what they send or compare is Tibetan then.
document.addEventListener("keydown", (event) => {
  const area = event.target;
  saysKey = event.key !== "Unidentified" && event.keyCode !== 229;
  if (!isTyping(area) || event.altKey || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "Enter" && isOpen) replace(area, area.selectionStart, "");
    return;
  }
  const written = writtenBy(event.key);
  if (written !== null && convert(area, event.key, written)) event.preventDefault();
  else if (SIGN.test(event.key)) replace(area, area.selectionStart, "");
}, true);
document.addEventListener("input", ({ target: area, inputType, data, isComposing }) => {
  if (!isTyping(area)) return;
  isOpen = LETTER.test(data?.at(-1) ?? "") && (data.length === 1 || !saysKey);
  if (saysKey || isComposing || inputType !== "insertText" || data?.length !== 1) return;
  const isSign = SIGN.test(data);
  const written = isSign ? data : writtenBy(data);
  if (written !== null) replace(area, area.selectionStart - 1, written, isSign ? "" : data);
});
document.addEventListener("blur", ({ target: area }) => {
  if (!isOpen || !isTyping(area)) return;
  isOpen = false;
  const { latin, tibetan } = syllableBefore(area, area.selectionStart);
  if (!tibetan || latin.length < 2) return;
  area.setRangeText(tibetan, area.selectionStart - latin.length, area.selectionStart, "end");
  area.dispatchEvent(new InputEvent("input", { bubbles: true }));
}, true);

async function load() {
  wylie ??= await import("./wylie.js").catch(() => null);
  show();
}

function isTyping(area) {
  return isOn && wylie !== null && area instanceof Element && isInLanguage(area);
}

function writtenBy(key) {
  return key === "Enter" ? "\n" : wylie.markOf(key);
}

/** Returns whether the key was written here, with the syllable before it. */
function convert(area, key, written) {
  if (area.selectionStart !== area.selectionEnd) return false;
  const end = area.selectionStart;
  if (replace(area, end, written, key)) return true;
  const before = area.value.slice(0, end);
  const isAfterTibetan = /[\u0F00-\u0FFF]\s?$/.test(before);
  if (LETTER.test(before.at(-1) ?? "") || key === " " || key === "Enter" || !isAfterTibetan) return false;
  insert(area, written);
  return true;
}

/** Write the syllable that ends at `end` in Tibetan, and `written` for what stands from there to the cursor. */
function replace(area, end, written, key = "") {
  const { latin, tibetan } = syllableBefore(area, end);
  if (!tibetan || (!key && latin.length < 2)) return false;
  area.setSelectionRange(end - latin.length, area.selectionEnd);
  // A shad does not touch a nga.
  insert(area, tibetan + (key === "/" && tibetan.endsWith("ང") ? "་" : "") + written);
  return true;
}

function syllableBefore(area, end) {
  const text = area.value;
  let start = end;
  while (start && LETTER.test(text[start - 1])) start -= 1;
  const latin = text.slice(start, end);
  return { latin, tibetan: latin && wylie.syllable(latin) };
}

/** The switch looks on as soon as typing is converted, not while what converts is on its way. */
function show() {
  const isReady = isOn && wylie !== null;
  for (const button of document.querySelectorAll("[data-wylie]"))
    button.setAttribute("aria-pressed", String(isReady));
  // Keyboards of phones begin a text with a capital letter, which is another one in Wylie.
  for (const area of document.querySelectorAll("textarea.target-edit")) {
    if (isReady) area.setAttribute("autocapitalize", "none");
    else area.removeAttribute("autocapitalize");
  }
}
