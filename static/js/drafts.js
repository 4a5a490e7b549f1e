// Drafts: what is typed is kept on this device, one draft an assignment or dispute, until it is taken.
import { all, read, remove, write } from "./storage.js";

const DAYS = 30;
const SKIP = new Set(["csrfmiddlewaretoken", "assignment", "revision", "idempotency_key", "next"]);

export function saveDraft(id, form) {
  const values = {};
  for (const [name, value] of new FormData(form)) {
    if (!SKIP.has(name)) (values[name] ??= []).push(value);
  }
  return write("draft", id, { at: Date.now(), values, isTouched: [...form.elements].some(isTouched) });
}

export function loadDraft(id) {
  return read("draft", id);
}

export function dropDraft(id) {
  remove("draft", id);
}

/** Put the draft's values into the form's fields; fields that it does not name are left alone. */
export function fillForm(form, draft) {
  for (const field of form.elements) {
    if (!field.name || SKIP.has(field.name) || !(field.name in draft.values || isChoice(field))) continue;
    const values = draft.values[field.name] ?? [];
    if (isChoice(field)) field.checked = values.includes(field.value);
    else field.value = values[0];
  }
}

export function dropOldDrafts() {
  const horizon = Date.now() - DAYS * 24 * 3600 * 1000;
  for (const [id, draft] of all("draft")) if (draft.at < horizon) dropDraft(id);
}

/** How many drafts hold something that the person did, beyond having looked; those of `sent` are on their way. */
export function draftCount(sent) {
  return all("draft").filter(([id, draft]) => draft.isTouched !== false && !sent.includes(id)).length;
}

function isTouched(field) {
  if (!field.name || field.type === "hidden") return false;
  if (isChoice(field)) return field.checked !== field.defaultChecked;
  return "defaultValue" in field && field.value !== field.defaultValue;
}

function isChoice(field) {
  return field.type === "radio" || field.type === "checkbox";
}
