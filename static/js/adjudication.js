// Adjudication: texts of several proposals and one's own become the final text, by mouse or keyboard; what
// is typed is kept until it is taken, and never overwritten without asking. The next dispute is fetched ahead.
import { grow } from "./autogrow.js";
import { fillForm, loadDraft, saveDraft } from "./drafts.js";
import { FormOutbox, refusalOf } from "./form-outbox.js";
import "./key-modes.js";
import { bindKeys, enter, hold, release } from "./keyboard.js";
import { keepPage } from "./offline.js";
import { send } from "./outbox.js";
import { showKeys } from "./shortcuts.js";
import * as storage from "./storage.js";
import { clock, fill } from "./texts.js";

const page = document.querySelector("[data-dispute]");
const VISIT_SECONDS = 60;
/** The parts of the dispute on the page; `open` finds them. */
let form;
let decision;
let matrix;
let cells;
let areas;
let ask;
let guideline;
let draftId;
let sender;
// "" nothing yet, "take" texts were taken, "edit" by hand, "reject"; the decision follows from it and the texts.
let mode = "";
let answer = null;
let before = null;
let saveTimer = 0;
/** The next dispute: {address, parts}, a promise of its HTML or of null. */
let ahead = null;

open();
bindKeys(keys(), {
  column: ({ column }) => takeColumn(Number(column)),
  row: ({ row }) => takeNextOfRow(row),
  merge: () => decide("edit"),
  repair,
  reject: () => decide("reject"),
  reason: () => form.elements.reason.focus(),
  diff: () => showDifferences(!isShowingDifferences()),
  skip: () => page.querySelector("[data-skip]")?.click() ?? false,
  guideline: toggleGuideline,
  submit: () => form.requestSubmit(page.querySelector("[data-settle]")),
});
page.addEventListener("click", (event) => {
  const { target } = event;
  const column = target.closest("button[data-column]");
  if (column) takeColumn(Number(column.dataset.column));
  const button = target.closest("[data-decide]");
  if (button) decide(button.dataset.decide);
  if (target.closest("[data-toggle-diff]")) showDifferences(!isShowingDifferences());
  if (target.closest("[data-final-repair] button")) repair();
  if (target.closest("[data-ask-keep]")) reply(false);
  if (target.closest("[data-ask-replace]")) reply(true);
  const cell = target.closest("td.take");
  if (cell && (target.closest("button") || getSelection().isCollapsed)) takeCells([cell]);
  const skip = target.closest("[data-skip]");
  if (skip && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    goOn({ next: skip.getAttribute("href") });
  }
});
page.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-asks]")) return;
  event.preventDefault();
  askReviewers(event.target);
});
page.addEventListener("input", () => {
  clearTimeout(saveTimer);
  saveTimer = setTimeout(keep, 400);
  checkFinal();
});
page.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (guideline.contains(event.target) && guideline.open) toggleGuideline();
  if (ask.contains(event.target)) reply(false);
});
window.addEventListener("popstate", () => window.location.reload());
setInterval(() => document.visibilityState === "visible" && visit(), VISIT_SECONDS * 1000);
const offline = new URL(form.dataset.offlineUrl, window.location.href);
keepPage(offline.href, offline.pathname);

/** Take up the dispute that the page shows. */
function open() {
  form = document.getElementById("adjudication");
  decision = form.querySelector("[data-decision]");
  matrix = form.querySelector("[data-matrix]");
  cells = [...matrix.querySelectorAll("td[data-column]")];
  areas = [...matrix.querySelectorAll("textarea")];
  ask = page.querySelector("[data-ask]");
  guideline = page.querySelector("[data-guideline]");
  draftId = `dispute-${form.dataset.panel}`;
  decision.disabled = false;
  sender = new FormOutbox(form, draftId, {
    complain: refuse, goOn, note, parts: "[data-matrix], [data-bar] > :not([data-error], [data-note])",
  });
  const draft = loadDraft(draftId);
  if (draft) fillForm(form, draft);
  mode = { approve: "take", adopt: "take", merge: "edit", reject: "reject" }[decision.value] ?? "";
  showDifferences(storage.read("setting", "dispute-differences") ?? false);
  show();
  for (const area of areas) {
    grow(area);
    area.addEventListener("input", () => {
      grow(area);
      setMode("edit");
    });
  }
  form.addEventListener("submit", settle, { capture: true });
  sender.resume();
  if (draft || page.querySelector(".finding")) checkFinal();
  visit();
  fetchAhead();
}

/** What the keys know of the dispute. */
function keys() {
  const columns = [...new Set(cells.map((cell) => cell.dataset.column))];
  return { kind: "settling", columns, rows: areas.map((area) => area.dataset.label) };
}

async function settle(event) {
  event.preventDefault();
  const problem = whatIsMissing();
  complain(problem);
  if (problem || sender.isLocked) return;
  keep();
  hold(); // what is pressed from now on is for the next dispute
  const mine = sender;
  const isMoving = await mine.submit();
  if (!isMoving && mine.isLocked) release({ forget: true });
}

/** Say why the server refused; keys act again from now on, and what was pressed meanwhile was for the next dispute. */
function refuse(words) {
  complain(words);
  release({ forget: true });
}

/** Ask a reviewer to look again, or for one more judgement; the next dispute follows. */
async function askReviewers(asking) {
  if (sender.isLocked) return;
  hold();
  const body = String(new URLSearchParams(new FormData(asking)));
  const result = await send({ url: asking.action, body });
  if (result.kind === "refused") refuse(refusalOf(result));
  else if (result.kind === "taken") {
    await goOn(result.data);
    note(result.data.done);
  } else asking.submit(); // the page of the answer says what is missing, a sign-in or the line
}

/** Fetch the next dispute while this one is read, so that it is there at once. */
function fetchAhead() {
  const address = page.querySelector("[data-skip]")?.getAttribute("href");
  ahead = address ? { address, parts: fetchParts(address) } : null;
}

async function fetchParts(address) {
  try {
    const response = await fetch(address, { headers: { "Lotsawa-Fragment": "dispute" } });
    const html = response.ok && !response.redirected ? await response.text() : "";
    return html.includes("data-dispute-body") ? html : null;
  } catch {
    return null;
  }
}

/** Show the dispute at `next`, and how many are `left`; another page, such as the queue, is loaded whole. */
async function goOn({ next, left }) {
  hold();
  const address = next ?? window.location.href;
  const html = await (ahead?.address === address ? ahead.parts : fetchParts(address));
  if (!html) return window.location.assign(address);
  if (saveTimer) keep();
  const parts = new DOMParser().parseFromString(html, "text/html");
  put(document.getElementById("bar-status"), parts.querySelector("[data-dispute-status]"));
  put(page, parts.querySelector("[data-dispute-body]"));
  if (left) document.querySelector("[data-left]").textContent = left;
  const item = document.getElementById("adjudication").dataset.item;
  history.pushState(null, "", address);
  document.title = document.title.replace(/^.*? · /, `${item} · `);
  document.querySelector(".crumbs [aria-current]").textContent = item;
  open();
  enter(keys());
  showKeys();
  window.scrollTo(0, 0);
  page.focus({ preventScroll: true });
  return release();
}

function put(place, part) {
  place.replaceChildren(...[...part.childNodes].map((node) => document.adoptNode(node)));
}

function note(words) {
  page.querySelector("[data-note]").textContent = words;
}

function takeColumn(number) {
  if (sender.isLocked) return false;
  const column = cells.filter((cell) => Number(cell.dataset.column) === number);
  return column.length ? takeCells(column) : false;
}

/** The text of one row from the next column that has another one. */
function takeNextOfRow(letter) {
  if (sender.isLocked) return false;
  const area = areas.find((one) => one.dataset.label === letter);
  if (!area) return false;
  const columns = cellsOf(area);
  const from = columns.findIndex((cell) => cell.dataset.text === area.value);
  const following = [...columns.slice(from + 1), ...columns.slice(0, from + 1)];
  const next = following.find((cell) => cell.dataset.text !== area.value);
  return next ? takeCells([next]) : false;
}

function takeCells(chosen) {
  const edited = chosen.filter((cell) => isOwn(areaOf(cell)));
  if (!edited.length) return take(chosen);
  const fields = edited.map((cell) => areaOf(cell).dataset.label).join(", ");
  ask.querySelector("[data-ask-text]").textContent = fill(form.dataset.askOwn, { fields });
  answer = { chosen, others: chosen.filter((cell) => !edited.includes(cell)), focused: document.activeElement };
  ask.hidden = false;
  ask.querySelector("[data-ask-keep]").focus();
}

function reply(isReplacing) {
  const { chosen, others, focused } = answer;
  ask.hidden = true;
  focused?.focus();
  if (isReplacing) take(chosen);
  else if (others.length) take(others);
}

function take(chosen) {
  for (const cell of chosen) {
    const area = areaOf(cell);
    area.value = cell.dataset.text;
    grow(area);
  }
  setMode("take");
  checkFinal();
}

/** Ask the server about the final text; the script for it comes with the first that is changed or faulty. */
function checkFinal() {
  import("./final-checks.js").then(({ schedule }) => schedule(form, areas), () => null);
}

/** Put the certain repair of the final text into it; what is repaired is the senior's own text. */
async function repair() {
  if (sender.isLocked) return;
  const checks = await import("./final-checks.js").catch(() => null);
  const texts = await checks?.repairOf(form, areas);
  if (!texts || sender.isLocked) return;
  for (const [index, area] of areas.entries()) {
    if (texts[index] === undefined || texts[index] === area.value) continue;
    area.value = texts[index];
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

function decide(what) {
  if (sender.isLocked) return;
  setMode(what);
  if (what !== "edit") return;
  areas[0].scrollIntoView({ block: "nearest", inline: "nearest" });
  areas[0].focus();
}

function setMode(what) {
  mode = what;
  ask.hidden = true;
  show();
  complain(whatForbids());
  keep();
}

function show() {
  decision.value = decisionNow();
  const words = { approve: form.dataset.sayApprove, merge: mergeWords(), reject: form.dataset.sayReject };
  page.querySelector("[data-says]").textContent = words[decision.value] ?? form.dataset.sayNothing;
  matrix.dataset.decided = decision.value;
  for (const cell of cells) {
    const isTaken = ["approve", "merge"].includes(decision.value) && cell.dataset.text === areaOf(cell).value
      && (Number(cell.dataset.column) === 0 || !cell.classList.contains("same"));
    cell.classList.toggle("taken", isTaken);
    cell.querySelector("button")?.setAttribute("aria-pressed", String(isTaken));
  }
  for (const area of areas) area.toggleAttribute("data-own", isOwn(area));
}

function decisionNow() {
  if (mode === "reject" || !mode) return mode;
  return mode === "take" && isUnchanged() ? "approve" : "merge";
}

function mergeWords() {
  const changed = areas.filter((area) => area.value !== area.dataset.original);
  const whole = wholeProposal();
  if (!changed.length) return form.dataset.sayEdit;
  if (whole) return fill(form.dataset.sayWhole, { number: whole });
  const fieldsFrom = new Map();
  for (const area of changed) {
    const number = cellsOf(area).find((cell) => cell.dataset.text === area.value)?.dataset.column ?? "";
    fieldsFrom.set(number, [...(fieldsFrom.get(number) ?? []), area.dataset.label]);
  }
  const parts = [...fieldsFrom].map(([number, fields]) =>
    fill(number ? form.dataset.sayFrom : form.dataset.sayOwn, { fields: fields.join(", "), number }));
  return fill(form.dataset.sayFields, { parts: parts.join(" · ") });
}

/** The number of the proposal whose every text is the final one. */
function wholeProposal() {
  const numbers = new Set(cells.map((cell) => cell.dataset.column));
  numbers.delete("0");
  return [...numbers].find((number) => cells
    .filter((cell) => cell.dataset.column === number)
    .every((cell) => cell.dataset.text === areaOf(cell).value));
}

function isOwn(area) {
  return cellsOf(area).every((cell) => cell.dataset.text !== area.value);
}

function isUnchanged() {
  return areas.every((area) => area.value === area.dataset.original);
}

function cellsOf(area) {
  return cells.filter((cell) => cell.dataset.field === area.dataset.field);
}

function areaOf(cell) {
  return areas.find((area) => area.dataset.field === cell.dataset.field);
}

function whatIsMissing() {
  if (!decision.value) return form.dataset.choose;
  if (whatForbids()) return whatForbids();
  return decision.value === "merge" && isUnchanged() ? form.dataset.unchanged : "";
}

/** Open errors forbid an approval, which is said before anybody sends it. */
function whatForbids() {
  return decision.value === "approve" ? form.dataset.errorsOpen ?? "" : "";
}

function complain(words) {
  const place = page.querySelector("[data-error]");
  place.textContent = words;
  place.hidden = !words;
}

/** The guideline opens beside the texts; closing it brings the focus back to where it was. */
function toggleGuideline() {
  guideline.open = !guideline.open;
  if (!guideline.open) return before?.focus();
  before = document.activeElement;
  guideline.scrollIntoView({ block: "nearest" });
  guideline.querySelector("[tabindex]").focus();
}

async function visit() {
  const { visit: address, others: words } = form.dataset;
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value, Accept: "application/json" },
    });
    if (!answer.ok) return;
    const { others } = await answer.json();
    if (form.dataset.visit !== address) return; // another dispute is shown by now
    document.querySelector("[data-others][role]").textContent = others.length
      ? fill(words, { names: others.join(", ") }) : "";
  } catch {
    // Without a line nobody learns who else is here, and nothing is lost.
  }
}

function isShowingDifferences() {
  return matrix.dataset.diff === "on";
}

function showDifferences(isOn) {
  matrix.dataset.diff = isOn ? "on" : "off";
  matrix.querySelector("[data-toggle-diff]").setAttribute("aria-pressed", String(isOn));
  storage.write("setting", "dispute-differences", isOn);
}

function keep() {
  clearTimeout(saveTimer);
  saveTimer = 0;
  if (!saveDraft(draftId, form)) return;
  const place = document.querySelector("[data-saved]");
  place.textContent = fill(form.dataset.draftSaved, { time: clock() });
  place.dataset.state = "saved";
}
