// The workbench: judge by keyboard, correct in place, and never lose what was typed or sent.
import { dropDraft, fillForm, loadDraft, saveDraft } from "./drafts.js";
import { Editing } from "./editing.js";
import { diff, diffNodes } from "./graphemes.js";
import { bindKeys } from "./keyboard.js";
import * as outbox from "./outbox.js";
import { showKeys } from "./shortcuts.js";
import { signInHere } from "./signin.js";
import * as storage from "./storage.js";
import { clock, fill, text } from "./texts.js";
import { ActiveTimer } from "./timer.js";
import { toast } from "./toasts.js";

const main = document.querySelector("[data-workbench]");
const timer = new ActiveTimer();
const form = document.getElementById("judgement");
const skipForm = document.getElementById("skip");
/** The names of what is rated, in the order of the page. */
const criteria = [...form?.querySelectorAll("[data-rating]") ?? []].map((group) => group.dataset.rating);
let editing = null;
let criterion = criteria[0];
let draftTimer = 0;

if (form) start();
outbox.watchOutbox(settle, isShown);
document.addEventListener("lotsawa:sign-in", () => comeBack());
bindKeys({
  keys: {
    approve: () => choose("approve"), revise: () => choose("revise"), reject: () => choose("reject"),
    ...Object.fromEntries(criteria.map((name) => [name, () => aim(name)])),
    diff: toggleDiff, guideline: () => toggleBeside("beside-guideline"),
    comment: () => focus(form?.elements.comment), skip: openSkip,
  },
  digit: rate,
  submit: () => form?.requestSubmit(form.querySelector("[data-submit]")),
});

function start() {
  form.noValidate = true;
  form.dataset.diff = storage.read("setting", "diff") ?? "off";
  bindForm();
  open();
  window.addEventListener("pagehide", keepDraft);
  setInterval(showReservation, 15_000);
}

/** Take up the item that the page shows. */
function open() {
  editing = new Editing(form, scheduleDraft);
  const draft = loadDraft(form.dataset.assignment);
  if (draft) {
    fillForm(form, draft);
    say(fill(form.dataset.restored, { time: clock(new Date(draft.at)) }), "saved");
  }
  timer.reset(Number(draft?.values.active_seconds?.[0] ?? form.elements.active_seconds.value) || 0);
  aim(criteria.find((name) => !form.elements[name].value) ?? criteria[0]);
  refresh();
  showKeys();
  showReservation();
}

function bindForm() {
  form.addEventListener("input", scheduleDraft);
  form.addEventListener("change", (event) => {
    const rated = criteria.indexOf(event.target.name);
    if (rated >= 0) aim(criteria[rated + 1] ?? criteria[rated]);
    refresh();
    scheduleDraft();
  });
  form.addEventListener("submit", submit);
  skipForm.addEventListener("submit", skip);
  form.addEventListener("click", (event) => {
    if (event.target.closest("[data-toggle-diff]")) toggleDiff();
    const beside = event.target.closest("[data-beside]");
    if (beside) toggleBeside(beside.dataset.beside);
  });
}

/** Whether the page shows the item of this judgement, so that its answer should bring the next one. */
function isShown(entry) {
  return Boolean(form?.isConnected) && form.dataset.assignment === entry.assignment;
}

function refresh() {
  editing.refresh();
  form.querySelector("[data-toggle-diff]").setAttribute("aria-pressed", String(form.dataset.diff === "on"));
  form.querySelector(".confirm-numbers").toggleAttribute("data-needed", editing.hasNumberChange);
  const isUnsent = editing.isChanged && !editing.isOpen && form.elements.verdict.value;
  complain("verdict", isUnsent ? form.dataset.editsUnsent : "");
  for (const name of criteria)
    if (form.elements[name].value) complain(name, "");
}

function choose(verdict) {
  if (!form) return;
  const field = [...form.elements.verdict].find((radio) => radio.value === verdict);
  field.checked = true;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  if (verdict === "revise") editing.editFirst();
}

function aim(name) {
  criterion = name;
  for (const group of form?.querySelectorAll("[data-rating]") ?? [])
    group.toggleAttribute("data-active", group.dataset.rating === name);
}

function rate(number) {
  const field = form && [...form.elements[criterion]].find((radio) => radio.value === String(number));
  if (!field) return false;
  const next = criteria[criteria.indexOf(criterion) + 1] ?? criteria[0];
  field.checked = true;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  aim(next);
  return true;
}

function toggleDiff() {
  if (!form) return;
  form.dataset.diff = form.dataset.diff === "on" ? "off" : "on";
  storage.write("setting", "diff", form.dataset.diff);
  refresh();
}

function toggleBeside(id) {
  const chosen = document.getElementById(id);
  if (!chosen) return;
  const isOpen = chosen.classList.toggle("open");
  for (const other of form.querySelectorAll(".aside-body")) if (other !== chosen) other.classList.remove("open");
  for (const tab of form.querySelectorAll("[data-beside]"))
    tab.setAttribute("aria-expanded", String(isOpen && tab.dataset.beside === id));
  if (isOpen) chosen.scrollIntoView({ block: "nearest" });
}

function openSkip() {
  const menu = form?.querySelector("[data-skip]");
  if (!menu) return;
  menu.open = true;
  menu.querySelector("select").focus();
}

function focus(field) {
  field?.focus();
}

function scheduleDraft() {
  clearTimeout(draftTimer);
  draftTimer = setTimeout(keepDraft, 400);
}

function keepDraft() {
  clearTimeout(draftTimer);
  if (!form?.isConnected || form.dataset.sent) return;
  form.elements.active_seconds.value = timer.seconds;
  form.querySelector(".confirm-numbers").toggleAttribute("data-needed", editing.hasNumberChange);
  if (saveDraft(form.dataset.assignment, form)) say(fill(form.dataset.draftSaved, { time: clock() }), "saved");
}

function submit(event) {
  event.preventDefault();
  if (form.dataset.sent || !isComplete()) return;
  keepDraft();
  const body = new URLSearchParams(new FormData(form));
  const entry = {
    key: form.elements.idempotency_key.value,
    url: form.action,
    body: body.toString(),
    label: form.dataset.item,
    assignment: form.dataset.assignment,
  };
  if (!outbox.store(entry)) {
    form.submit();
    return;
  }
  deliver(entry);
}

async function deliver(entry) {
  form.dataset.sent = "1";
  busy(true);
  say(form.dataset.sending, "waiting");
  const result = await outbox.send(entry, true);
  if (result.kind === "taken" || result.kind === "refused") {
    outbox.forget(entry.key);
    settle(entry, result);
  } else if (result.kind === "offline" || result.kind === "busy") {
    say(form.dataset.waiting, "waiting");
    busy(false);
    form.querySelector("[data-submit]").disabled = true;
    note(result.kind === "busy" ? form.dataset.nextWhenStored : form.dataset.nextWhenSent);
    outbox.retryLater(result);
  } else comeBack();
}

/** What the server answered, at once or after a time without connection. */
function settle(entry, result) {
  if (result.kind === "signed-out") return;
  if (result.kind === "taken") {
    dropDraft(entry.assignment);
    if (isShown(entry)) {
      countMine();
      next(result.html);
    }
    return;
  }
  if (isShown(entry)) showRefusal(result);
}

/** Skip without leaving the page; the draft stays on this device for an undo. */
async function skip(event) {
  event.preventDefault();
  if (form.dataset.sent) return;
  keepDraft();
  const { assignment, item } = form.dataset;
  const result = await outbox.ask(skipForm.action, new URLSearchParams(new FormData(skipForm)));
  if (result.kind !== "taken") {
    complainOf(result);
    return;
  }
  next(result.html);
  toast(fill(skipForm.dataset.skipped, { item }), {
    seconds: 20,
    action: { label: skipForm.dataset.undo, run: () => undoSkip(assignment) },
  });
}

async function undoSkip(assignment) {
  keepDraft();
  const result = await outbox.ask(skipForm.dataset.undoUrl, new URLSearchParams({ assignment }));
  if (result.kind === "taken") next(result.html);
  else complainOf(result);
}

function complainOf(result) {
  if (result.kind === "signed-out") comeBack();
  else {
    const words = text(result.kind === "busy" ? "requestBusy" : "requestFailed");
    toast(result.data?.detail || words, { tone: "bad", seconds: 0 });
  }
}

/** Put the parts of the next item in the place of this one's, or the notice that nothing is left. */
function next(html) {
  if (!html) return window.location.reload();
  const parts = new DOMParser().parseFromString(html, "text/html").querySelectorAll("[data-part]");
  const seat = [...parts].find((part) => part.dataset.part === "seat");
  if (!seat || !form.isConnected) return showWithoutForm(parts, seat);
  form.reset();
  form.elements.active_seconds.value = 0; // a hidden field is not reset
  Object.assign(form.dataset, { assignment: seat.dataset.assignment, item: seat.dataset.item });
  delete form.dataset.sent;
  for (const part of parts) document.querySelector(`[data-part="${part.dataset.part}"]`)?.replaceWith(part);
  clearMessages();
  document.title = document.title.replace(/^.*? · /, `${seat.dataset.item} · `);
  open();
  form.querySelector(".judge").scrollTop = 0;
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
  return undefined;
}

/** Where no item is shown, or a whole page is needed to show one again. */
function showWithoutForm(parts, seat) {
  if (seat) return window.location.reload();
  main.replaceChildren(...[...parts].filter((part) => part.dataset.part === "no-item"));
  document.title = document.title.replace(/^.*? · /, "");
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
  return undefined;
}

function clearMessages() {
  const refusal = document.getElementById("refusal");
  refusal.replaceChildren();
  refusal.hidden = true;
  form.querySelector("[data-skip]").open = false;
  for (const name of ["verdict", ...criteria]) complain(name, "");
  busy(false);
  note("");
  say("", "idle");
}

function countMine() {
  const place = document.querySelector("[data-mine]");
  if (!place) return;
  place.dataset.mine = Number(place.dataset.mine) + 1;
  const count = new Intl.NumberFormat(document.documentElement.lang).format(place.dataset.mine);
  place.textContent = fill(place.dataset.text, { count });
}

function isComplete() {
  const problems = [];
  const verdict = form.elements.verdict.value;
  if (!verdict) problems.push(["verdict", form.dataset.chooseVerdict]);
  else if (editing.isOpen && !editing.isChanged) problems.push(["verdict", form.dataset.nothingChanged]);
  else if (editing.isOpen && editing.isAnyEmpty) problems.push(["verdict", form.dataset.textEmpty]);
  else if (editing.isOpen && editing.hasNumberChange && !form.elements.keys_confirmed.checked)
    problems.push(["verdict", form.dataset.confirmNumbers]);
  for (const name of criteria)
    if (!form.elements[name].value) problems.push([name, document.getElementById(`f-${name}`).dataset.choose]);
  for (const name of ["verdict", ...criteria])
    complain(name, problems.find(([which]) => which === name)?.[1] ?? "");
  const first = problems[0]?.[0];
  if (first) document.getElementById(`f-${first}`)?.scrollIntoView({ block: "nearest" });
  if (first && first !== "verdict") aim(first);
  return !first;
}

function complain(name, words) {
  const place = form.querySelector(`[data-error="${name}"]`);
  place.textContent = words;
  place.hidden = !words;
}

function showRefusal(result) {
  delete form.dataset.sent;
  busy(false);
  note("");
  say("", "idle");
  refuse(result.data?.detail ?? "", result.status === 409 ? "warn" : "bad", result.data?.fields);
  const current = result.data?.current;
  if (current?.question === undefined) return;
  const texts = [current.question, ...(current.options ?? [])];
  form.elements.revision.value = current.revision ?? form.elements.revision.value;
  document.getElementById("refusal").append(difference(texts));
  editing.rebase(texts);
}

/** What changed under the reviewer's hands, as a list of differences; their own texts stay in the editors. */
function difference(texts) {
  const list = document.createElement("div");
  list.className = "panel stack tight";
  editing.rows.forEach((row, index) => {
    const before = row.original;
    if (texts[index] === undefined || texts[index] === before) return;
    const line = document.createElement("div");
    line.lang = row.area.lang;
    line.append(...diffNodes(diff(before, texts[index])));
    list.append(line);
  });
  list.hidden = !list.childNodes.length;
  return list;
}

function refuse(words, tone, fields = {}) {
  const place = document.getElementById("refusal");
  const box = document.createElement("div");
  box.className = `alert ${tone}`;
  const text = document.createElement("div");
  text.textContent = [words, ...Object.values(fields ?? {}).flat()].filter(Boolean).join(" ");
  box.append(text);
  place.replaceChildren(box);
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
}

async function comeBack() {
  const path = document.getElementById("texts").dataset.signInUrl;
  if (form) keepDraftOf(form);
  const isIn = await signInHere(`${path}?next=${encodeURIComponent(window.location.pathname)}`);
  if (isIn) await outbox.flush();
  else {
    outbox.waitForSignIn();
    if (form) stayOpen();
  }
}

/** Not sent, but kept: it may still be changed and sent again under the same key. */
function stayOpen() {
  delete form.dataset.sent;
  busy(false);
  say(form.dataset.waiting, "waiting");
}

function keepDraftOf(shown) {
  saveDraft(shown.dataset.assignment, shown);
}

function note(words) {
  const place = form.querySelector("[data-note]");
  place.textContent = words;
  place.hidden = !words;
}

function busy(isBusy) {
  const button = form.querySelector("[data-submit]");
  button.toggleAttribute("disabled", isBusy);
  button.setAttribute("aria-busy", String(isBusy));
}

function say(words, state) {
  const place = document.querySelector("[data-saved]");
  if (!place) return;
  place.textContent = words;
  place.dataset.state = state;
}

function showReservation() {
  const place = form?.isConnected && form.querySelector("[data-reserved]");
  if (!place) return;
  const until = new Date(place.querySelector("time").dateTime);
  place.querySelector("time").textContent = clock(until);
  const minutes = Math.ceil((until - Date.now()) / 60_000);
  if (minutes > 3) return;
  place.dataset.soon = "";
  const words = minutes > 0 ? fill(place.dataset.soonText, { minutes }) : place.dataset.overText;
  if (place.dataset.said === words) return;
  place.dataset.said = words;
  place.firstChild.textContent = `${words} `;
  place.querySelector("time").hidden = true;
  if (minutes <= 0) note(form.dataset.expired);
}
