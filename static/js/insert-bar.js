// Under the text that somebody edits: the special characters of its language, by mouse, finger or arrow keys.
const pattern = document.querySelector("template[data-insert-bar]");
const bar = pattern?.content.firstElementChild.cloneNode(true);
let area = null;

if (bar) {
  document.addEventListener("focusin", (event) => event.target.matches("textarea.target-edit") && show(event.target));
  document.addEventListener("focusout", (event) => {
    const to = event.relatedTarget;
    if (bar.isConnected && to !== area && !bar.contains(to)) bar.remove();
  });
  // A press must not take the focus from the text.
  bar.addEventListener("pointerdown", (event) => event.preventDefault());
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("[data-insert]");
    if (button) insert(area, button.dataset.insert);
  });
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) move(event.target, step);
    if (event.key === "Escape") area.focus();
    if (step || event.key === "Escape") event.preventDefault();
    event.stopPropagation();
  });
  for (const [place, button] of buttons().entries()) button.tabIndex = place ? -1 : 0;
  if (document.activeElement.matches("textarea.target-edit")) show(document.activeElement);
}

/** Puts `text` where the cursor is, so that undo knows of it. */
export function insert(target, text) {
  target.focus();
  if (!document.execCommand("insertText", false, text)) {
    target.setRangeText(text, target.selectionStart, target.selectionEnd, "end");
    target.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
}

function show(target) {
  area = target;
  if (target.nextElementSibling !== bar) target.after(bar);
}

function buttons() {
  return [...bar.querySelectorAll("button")];
}

function move(from, step) {
  const all = buttons();
  const to = all[(all.indexOf(from) + step + all.length) % all.length];
  for (const button of all) button.tabIndex = button === to ? 0 : -1;
  to.focus();
}
