// A second look: drafts, the editor in place, the time that was worked. Without this script the page works too.
import { dropDraft, fillForm, loadDraft, saveDraft } from "./drafts.js";
import { Editing } from "./editing.js";

const page = document.querySelector("[data-second-look]");
const form = document.getElementById("second-look");
const draftId = `look-${page.dataset.secondLook}`;
const started = Date.now();

const draft = loadDraft(draftId);
if (draft) fillForm(form, draft);
const editing = new Editing(form, keep);
form.addEventListener("input", keep);
form.addEventListener("change", () => editing.refresh());
form.addEventListener("submit", () => {
  form.elements.active_seconds.value = Math.round((Date.now() - started) / 1000);
  dropDraft(draftId);
});
editing.refresh();

function keep() {
  saveDraft(draftId, form);
  editing.refresh();
}
