// On phones and at high zoom the judgement is a sheet that opens from the bar below, over the item.
// The style sheet decides where; elsewhere the button is not shown and the sheet is always there.
import { isTyping } from "./keyboard.js";

const parts = (form) => [form.querySelector(".judgement-part"), form.querySelector("[data-judgement-open]")];

export function watchSheet(form) {
  const [sheet, button] = parts(form);
  button.addEventListener("click", () => show(form, !isOpen(sheet)));
  form.addEventListener("change", (event) => {
    // The texts are corrected in the item, which the sheet covers.
    if (event.target.name === "verdict" && event.target.value === "revise") closeSheet(form);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || isTyping(event.target) || !isOpen(sheet)) return;
    closeSheet(form);
    button.focus();
  });
}

export function openSheet(form) {
  show(form, true);
}

export function closeSheet(form) {
  show(form, false);
}

/** Say on the button what has been judged so far, or where it leads from the open sheet. */
export function labelSheet(form) {
  const [sheet, button] = parts(form);
  const words = button.firstElementChild;
  const said = [...sheet.querySelectorAll("input[type=radio]:checked")].map(({ labels }) => labelOf(labels[0]));
  words.textContent = isOpen(sheet) ? words.dataset.close : said.join(" · ") || words.dataset.empty;
}

function show(form, isOpened) {
  const [sheet, button] = parts(form);
  sheet.toggleAttribute("data-open", isOpened);
  sheet.scrollTop = 0;
  button.setAttribute("aria-expanded", String(isOpened));
  labelSheet(form);
}

function isOpen(sheet) {
  return "open" in sheet.dataset;
}

/** Without the key that is shown beside it. */
function labelOf(label) {
  return [...label.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
    .map((node) => node.textContent.trim()).join("");
}
