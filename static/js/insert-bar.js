// Under the text that somebody edits: the special characters of its language, by mouse and finger, or with F2, the
// arrow keys and Enter. Tab passes it by, as it goes from text to text. Texts in another language than the project's
// translations have none.
const pattern = document.querySelector("template[data-insert-bar]");
const bar = pattern?.content.firstElementChild.cloneNode(true);
let area = null;

if (bar) {
  document.addEventListener("focusin", (event) => isInLanguage(event.target) && show(event.target));
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
  document.addEventListener("keydown", (event) => {
    if (event.key !== "F2" || event.target !== area || !bar.isConnected) return;
    event.preventDefault();
    buttons()[0].focus();
  });
  for (const button of buttons()) button.tabIndex = -1;
  if (isInLanguage(document.activeElement)) show(document.activeElement);
}

/** Whether `target` is a text to edit in the language whose characters the bar has. */
export function isInLanguage(target) {
  return target.matches("textarea.target-edit") && target.lang === pattern.lang;
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
  to.focus();
}
