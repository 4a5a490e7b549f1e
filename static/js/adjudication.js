// Adjudication: one decision a dispute, all of it by keyboard; what is typed is kept until it is taken.
import { grow } from "./autogrow.js";
import { fillForm, loadDraft, saveDraft } from "./drafts.js";
import { bindKeys } from "./keyboard.js";
import { clock, fill } from "./texts.js";

const form = document.getElementById("adjudication");
const decision = form.querySelector("[data-decision]");
const cards = [...form.querySelectorAll("[data-card]")];
const merge = form.querySelector("[data-merge]");
const areas = [...merge.querySelectorAll("textarea")];
const draftId = `dispute-${form.dataset.panel}`;
let saveTimer = 0;

decision.disabled = false;
const draft = loadDraft(draftId);
if (draft) fillForm(form, draft);
if (decision.value === "merge") merge.open = true;
show();

bindKeys({
  keys: { merge: () => decide("merge"), reject: () => decide("reject"), reason: () => form.elements.reason.focus() },
  digit: takeCard,
  shifted: toggleField,
  submit: () => form.requestSubmit(form.querySelector("[data-settle]")),
});
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-decide]");
  if (button) decide(button.dataset.decide);
});
form.addEventListener("change", (event) => {
  if (event.target.name === "judgement") adopt(event.target.value, []);
  if (event.target.name === "fields") pickField(event.target);
});
form.addEventListener("input", () => {
  clearTimeout(saveTimer);
  saveTimer = setTimeout(keep, 400);
});
for (const area of areas) {
  area.addEventListener("input", () => {
    grow(area);
    setDecision("merge");
  });
}
merge.addEventListener("toggle", () => areas.forEach(grow));
form.addEventListener("submit", (event) => {
  const problem = whatIsMissing();
  complain(problem);
  if (problem) event.preventDefault();
  else keep();
}, { capture: true });

function takeCard(number) {
  if (number === 0) return decide("approve");
  const card = cards[number];
  const radio = card?.querySelector("[name=judgement]");
  if (radio) {
    radio.checked = true;
    return adopt(radio.value, []);
  }
  return card ? decide(card.querySelector("[data-decide]").dataset.decide) : false;
}

function decide(what) {
  if (what !== "adopt") clearPicks();
  setDecision(what);
  if (what === "merge") {
    merge.open = true;
    merge.scrollIntoView({ block: "nearest" });
    areas[0].focus();
  }
}

function adopt(judgement, fields) {
  for (const box of picks()) box.checked = box.dataset.of === judgement && fields.includes(box.value);
  fillAreas(fieldsOf(judgement).filter(([field]) => !fields.length || fields.includes(field)));
  setDecision("adopt");
}

/** A text of one card, or texts of several cards put together (which makes it the senior's own text). */
function pickField(box) {
  const chosen = picks().filter((other) => other.checked);
  for (const other of chosen) if (other !== box && other.value === box.value) other.checked = false;
  const kept = picks().filter((other) => other.checked);
  const judgements = new Set(kept.map((other) => other.dataset.of));
  fillAreas(kept.flatMap((other) => fieldsOf(other.dataset.of).filter(([field]) => field === other.value)));
  for (const radio of form.querySelectorAll("[name=judgement]"))
    radio.checked = judgements.size === 1 && judgements.has(radio.value);
  if (judgements.size > 1) merge.open = true;
  setDecision(judgements.size > 1 ? "merge" : judgements.size ? "adopt" : "");
}

function toggleField(letter) {
  const judgement = form.querySelector("[name=judgement]:checked")?.value ?? picks()[0]?.dataset.of;
  const box = picks().find((other) => other.dataset.of === judgement && other.dataset.label === letter);
  if (!box) return false;
  box.click();
  return true;
}

function setDecision(what) {
  decision.value = what;
  complain("");
  show();
  keep();
}

function show() {
  const words = {
    approve: form.dataset.sayApprove,
    merge: form.dataset.sayMerge,
    reject: form.dataset.sayReject,
    adopt: adoptionWords(),
  };
  form.querySelector("[data-says]").textContent = words[decision.value] ?? form.dataset.sayNothing;
  const judgement = form.querySelector("[name=judgement]:checked")?.value;
  for (const card of cards) {
    const current = decision.value === "adopt" ? judgement : decision.value;
    const isCurrent = card.dataset.card === current;
    card.toggleAttribute("data-current", isCurrent);
    card.classList.toggle("current", isCurrent);
  }
  for (const button of form.querySelectorAll(".card [data-decide]"))
    button.classList.toggle("primary", button.dataset.decide === decision.value);
}

function adoptionWords() {
  const judgement = form.querySelector("[name=judgement]:checked")?.value;
  const chosen = cards.find((card) => card.dataset.card === judgement);
  const who = chosen?.querySelector("[data-who]")?.textContent.trim() ?? "";
  const fields = picks().filter((box) => box.checked).map((box) => box.dataset.label).join(", ");
  return fill(fields ? form.dataset.sayFields : form.dataset.sayAdopt, { who, fields });
}

function whatIsMissing() {
  if (!decision.value) return form.dataset.choose;
  const isSame = areas.every((area) => area.value === area.dataset.original);
  return decision.value === "merge" && isSame ? form.dataset.unchanged : "";
}

function complain(words) {
  const place = form.querySelector("[data-error]");
  place.textContent = words;
  place.hidden = !words;
}

function clearPicks() {
  for (const input of form.querySelectorAll("[name=judgement], [name=fields]")) input.checked = false;
}

function picks() {
  return [...form.querySelectorAll("[name=fields]")];
}

function fieldsOf(judgement) {
  const card = cards.find((other) => other.dataset.card === judgement);
  return [...(card?.querySelectorAll("[data-field]") ?? [])].map((cell) => [cell.dataset.field, cell.dataset.text]);
}

function fillAreas(texts) {
  for (const area of areas) area.value = new Map(texts).get(area.dataset.field) ?? area.dataset.original;
}

function keep() {
  if (!saveDraft(draftId, form)) return;
  const place = document.querySelector("[data-saved]");
  place.textContent = fill(form.dataset.draftSaved, { time: clock() });
  place.dataset.state = "saved";
}
