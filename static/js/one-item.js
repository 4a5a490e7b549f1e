// A page with one item to judge: the keys, the editor in place and the sheet of the workbench.
import { Editing } from "./editing.js";
import { closeSheet, labelSheet, openSheet, watchSheet } from "./judgement-sheet.js";
import { Judging } from "./judging.js";
import { bindKeys } from "./keyboard.js";

/**
 * Let people judge in `form`. `keep()` is called after each change and `submit()` once the judgement is complete;
 * while `isLocked()` nothing changes. Returns {editing, refresh}; call `refresh` after filling the form.
 */
export function judgeOneItem(form, { isLocked, keep, submit }) {
  const send = form.querySelector("[data-submit]");
  const judging = new Judging(form, { isLocked: () => !send || isLocked(), revise: () => editing.editFirst() });
  const editing = new Editing(form, keep);
  const refresh = () => {
    editing.refresh();
    labelSheet(form);
  };
  form.noValidate = true;
  watchSheet(form);
  form.addEventListener("input", keep);
  form.addEventListener("change", (event) => {
    judging.follow(event.target);
    refresh();
    keep();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!send || isLocked()) return;
    if (judging.isComplete()) submit();
    else openSheet(form);
  });
  judging.aimAtFirstOpen();
  closeSheet(form);
  refresh();
  bindKeys(judging.mode, {
    ...judging.handlers,
    diff: () => toggleDifferences(form, refresh),
    guideline: () => toggleGuideline(form),
    submit: () => send && form.requestSubmit(send),
  });
  return { editing, refresh };
}

function toggleDifferences(form, refresh) {
  form.dataset.diff = form.dataset.diff === "on" ? "off" : "on";
  refresh();
}

function toggleGuideline(form) {
  const guideline = form.querySelector("[data-guideline]");
  if (!guideline) return;
  guideline.open = !guideline.open;
}
