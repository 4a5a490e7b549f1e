// Spaces and characters that nobody sees, marked in item texts and in the editor while the switch is on.
// The marks are drawn around the characters themselves, so that copying, shaping and line breaks stay.
import { follow } from "./marks.js";

const ALONE = "[ \\t\\u00A0\\u00AD\\u034F\\u061C\\u0F0C\\u2000-\\u200B\\u200E\\u200F\\u2028-\\u202F\\u205F-\\u2064"
  + "\\u2066-\\u2069\\u3000\\uFE00-\\uFE0F\\uFEFF]";
/** What shapes the letters beside it is marked with them: by itself, browsers drop the vertical text after it. */
const SHAPING = "[\\u180B-\\u180F\\u200C\\u200D]";
/** A letter with its marks; no script has more on one letter, and without a bound a row of marks would take long. */
const CLUSTER = "\\S\\p{M}{0,16}";
const SIGNS = new RegExp(`((?:${CLUSTER})?${SHAPING}+(?:${CLUSTER}${SHAPING}+)*\\S?|${ALONE})`, "u");
const SIGN = new RegExp(`${SHAPING}|${ALONE}`, "u");
const NAMES = {
  "\t": "TAB", "\u00A0": "NBSP", "\u00AD": "SHY", "\u034F": "CGJ", "\u061C": "ALM",
  "\u180B": "FVS1", "\u180C": "FVS2", "\u180D": "FVS3", "\u180E": "MVS", "\u180F": "FVS4",
  "\u200B": "ZWSP", "\u200C": "ZWNJ", "\u200D": "ZWJ", "\u200E": "LRM", "\u200F": "RLM",
  "\u202F": "NNBSP", "\u2060": "WJ", "\u2066": "LRI", "\u2067": "RLI", "\u2069": "PDI", "\uFEFF": "BOM",
};
const TEXTS = ".target-text, .source, .options > li > span, .dispute .card dd[lang]";
const root = document.documentElement;
let mirror = null;

const observer = new MutationObserver(() => markAll());

export function showInvisibles() {
  observer.disconnect();
  if (root.hasAttribute("data-marks")) markAll();
  else takeMirror();
}

document.addEventListener("focusin", (event) => reflect(event.target));
document.addEventListener("input", (event) => reflect(event.target));
document.addEventListener("focusout", takeMirror);
document.addEventListener("scroll", ({ target }) => mirror?.previousSibling === target && follow(mirror, target), true);
window.addEventListener("resize", () => reflect(document.activeElement));

function markAll() {
  observer.disconnect();
  for (const text of document.querySelectorAll(TEXTS)) mark(text);
  reflect(document.activeElement);
  observer.observe(document.getElementById("main"), { childList: true, subtree: true });
}

function mark(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest("textarea, math, .sign, .text-missing") || !SIGNS.test(node.data)
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  for (const node of found) node.replaceWith(...marked(node.data));
}

function marked(text) {
  return text.split(SIGNS).filter(Boolean).map((part) => {
    if (!SIGNS.test(part)) return document.createTextNode(part);
    const sign = document.createElement("span");
    sign.className = part === " " ? "sign space" : "sign";
    if (part !== " ") sign.title = [...part].filter((each) => SIGN.test(each)).map(named).join(", ");
    sign.textContent = part;
    return sign;
  });
}

function named(character) {
  const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return [NAMES[character], code].filter(Boolean).join(" ");
}

/** A text area cannot mark its letters: an invisible copy of its text lies on it and draws the marks. */
function reflect(area) {
  if (!area?.matches?.("textarea.target-edit") || !root.hasAttribute("data-marks")) return;
  takeMirror();
  const look = getComputedStyle(area);
  mirror = document.createElement("div");
  mirror.className = "edit-signs";
  mirror.setAttribute("aria-hidden", "true");
  mirror.dir = look.direction;
  Object.assign(mirror.style, {
    insetInlineStart: "auto",
    left: `${area.offsetLeft}px`,
    top: `${area.offsetTop}px`,
    width: `${area.offsetWidth}px`,
    height: `${area.offsetHeight}px`,
    padding: look.padding,
    font: look.font,
    textAlign: look.textAlign,
    lineHeight: look.lineHeight,
    letterSpacing: look.letterSpacing,
    writingMode: look.writingMode,
  });
  mirror.append(...marked(area.value));
  observer.disconnect();
  area.after(mirror);
  follow(mirror, area);
  observer.observe(document.getElementById("main"), { childList: true, subtree: true });
}

function takeMirror() {
  mirror?.remove();
  mirror = null;
}
