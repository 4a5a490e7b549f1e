// A second look: drafts, the time that was worked, and an answer that outlives an outage. Without this script the
// page works too.
import { fillForm, loadDraft, saveDraft } from "./drafts.js";
import { FormOutbox } from "./form-outbox.js";
import { openSheet } from "./judgement-sheet.js";
import { keepPage } from "./offline.js";
import { judgeOneItem } from "./one-item.js";
import { ActiveTimer } from "./timer.js";

const form = document.getElementById("second-look");
const draftId = `look-${document.querySelector("[data-second-look]").dataset.secondLook}`;
const timer = new ActiveTimer();
const sender = new FormOutbox(form, draftId, {
  complain,
  note: (words) => say("[data-note]", words),
  parts: "#second-look :is(.rows, fieldset, .judgement-part textarea, [data-submit])",
});

const draft = loadDraft(draftId);
if (draft) fillForm(form, draft);
timer.reset(Number(draft?.values.active_seconds?.[0]) || 0);
judgeOneItem(form, {
  keep,
  isLocked: () => sender.isLocked,
  submit: () => {
    complain("");
    keep();
    sender.submit();
  },
});
if (form.querySelector("[data-submit]")) sender.resume();
keepPage(window.location.href);

function keep() {
  if (sender.isLocked) return;
  form.elements.active_seconds.value = timer.seconds;
  saveDraft(draftId, form);
}

function complain(words, code = "") {
  say('[data-error=""]', words);
  if (words) openSheet(form);
  if (code === "numbers_unconfirmed") form.querySelector("[data-confirm]").hidden = false;
}

function say(place, words) {
  const element = form.querySelector(place);
  element.textContent = words;
  element.hidden = !words;
}
