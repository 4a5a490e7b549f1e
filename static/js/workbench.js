// The workbench: judge by keyboard, correct in place, and never lose what was typed or sent.
import { dropDraft, fillForm, loadDraft, saveDraft } from "./drafts.js";
import { Editing } from "./editing.js";
import * as items from "./items.js";
import { closeSheet, labelSheet, openSheet, watchSheet } from "./judgement-sheet.js";
import { Judging } from "./judging.js";
import { bindKeys, hold, release } from "./keyboard.js";
import { keepForLater, keepPage } from "./offline.js";
import * as outbox from "./outbox.js";
import { showKeys } from "./shortcuts.js";
import * as storage from "./storage.js";
import { clock, fill, text } from "./texts.js";
import { ActiveTimer } from "./timer.js";
import { toast } from "./toasts.js";

const main = document.querySelector("[data-workbench]");
const timer = new ActiveTimer();
const form = document.getElementById("judgement");
const skipForm = document.getElementById("skip");
const judging = new Judging(form, { isLocked, revise });
const { criteria } = judging;
let editing = null;
let draftTimer = 0;
/** Why a judgement can never be taken back any more. */
const TOO_LATE = ["judgement_decided", "judgement_paid", "undo_time_over"];
/** Seats whose judgement or skip is on its way, so that their items are not shown again. */
const sent = new Set();
/** Tells the other tabs of this device which items were judged here, and which came back. */
const tabs = globalThis.BroadcastChannel && new BroadcastChannel("lotsawa-workbench");
/** What Undo takes back, the last at the end: {seat, item, key, isSkip}, and the id of a judgement that was sent. */
let acts = [];
const MOST_ACTS = 20;
/** The items of skips by their key, to show them again at once. */
const skipped = new Map();
/** Whether the server has pages of another build, which the next item is shown with. */
let isOutdated = false;

document.addEventListener("lotsawa:sign-in", () => comeBack());
hold(); // until an item is open
bindKeys(form ? judging.mode : undefined, {
  ...(form ? judging.handlers : {}),
  diff: toggleDiff,
  guideline: () => toggleBeside("beside-guideline"),
  reveal,
  repair: () => !isLocked() && repair(),
  skip: openSkip,
  undo: undoLast,
  submit: () => !isLocked() && form.requestSubmit(form.querySelector("[data-submit]")),
});
if (form) start();
else release();

async function start() {
  form.noValidate = true;
  lock(true); // until an item is open
  form.dataset.diff = storage.read("setting", "diff") ?? "off";
  bindForm();
  watchSheet(form);
  window.addEventListener("pagehide", keepDraft);
  document.addEventListener("lotsawa:sign-out", keepDraft);
  const waiting = await outbox.pending();
  for (const entry of waiting.filter(isOfRound)) sent.add(entry.assignment);
  showProgressSoFar(waiting.filter((entry) => isOfRound(entry) && !entry.isSkip && !entry.isUndo).length);
  await items.load(form.dataset.round);
  await openFirst();
  outbox.watchOutbox(settle, (entry) => (isOfRound(entry) ? items.seats() : null));
  keepActs(storage.read("acts", form.dataset.round) ?? []);
  setInterval(tick, 15_000);
  tabs?.addEventListener("message", ({ data }) => (data.isSent ? sent.add(data.seat) : sent.delete(data.seat)));
  window.addEventListener("online", () => isLocked() && afterTry());
  if (waiting.length) outbox.flush();
  if (!sent.size) reserve();
  keepPage(form.dataset.shellUrl);
}

/** Open the item that the page came with, unless it is judged already or open in another tab. */
async function openFirst() {
  const { assignment } = form.dataset;
  if (assignment && !sent.has(assignment)) {
    const until = Date.now() + 1000 * Number(form.querySelector("[data-reserved]").dataset.secondsLeft);
    await items.add({ seat: assignment, item: form.dataset.item, html: partsOfPage(), until });
    if (await items.claim(assignment)) {
      open();
      return release();
    }
  }
  const other = await items.next(sent);
  if (other) return show(other);
  if (assignment && !sent.has(assignment)) {
    open();
    note(form.dataset.otherTab);
    release();
  } else wait(form.dataset.noneKept);
  return undefined;
}

/** Take up the item that the page shows. */
function open() {
  lock(false);
  editing = new Editing(form, scheduleDraft);
  const draft = loadDraft(form.dataset.assignment);
  if (draft) {
    fillForm(form, draft);
    say(fill(form.dataset.restored, { time: clock(new Date(draft.at)) }), "saved");
  }
  timer.reset(Number(draft?.values.active_seconds?.[0] ?? form.elements.active_seconds.value) || 0);
  judging.aimAtFirstOpen();
  refresh();
  showKeys();
  showReservation();
  if (form.querySelector(".finding, [data-repair]:not([hidden])") || editing.isChanged) checkNow();
}

/** What stands in the page speaks of the text that it came with: of another the server has to be asked. */
async function checkNow() {
  const checks = await checksOfItem();
  if (checks?.editing.isOpen && checks.editing.isChanged) checks.check();
}

function partsOfPage() {
  const parts = document.createDocumentFragment();
  for (const part of document.querySelectorAll(".workbench-form [data-part]")) parts.append(part.cloneNode(true));
  return items.asHtml(parts);
}

function bindForm() {
  form.addEventListener("input", scheduleDraft);
  form.addEventListener("change", (event) => {
    judging.follow(event.target);
    refresh();
    scheduleDraft();
  });
  form.addEventListener("submit", submit);
  skipForm.addEventListener("submit", skip);
  form.addEventListener("click", (event) => {
    if (event.target.closest("[data-reveal]")) {
      event.preventDefault();
      reveal();
    }
    if (event.target.closest("[data-toggle-diff]")) toggleDiff();
    const beside = event.target.closest("[data-beside]");
    if (beside) toggleBeside(beside.dataset.beside);
    if (event.target.closest("[data-undo-last]")) undoLast();
    // The second click of a double click does not answer what the first one made the page ask.
    if (event.detail > 1 && event.target.closest("[data-submit]")) event.preventDefault();
  });
}

function refresh() {
  editing.refresh();
  labelSheet(form);
  form.toggleAttribute("data-blind", form.elements.revealed_after.value === "");
  form.querySelector("[data-toggle-diff]").setAttribute("aria-pressed", String(form.dataset.diff === "on"));
  editing.checks?.then((checks) => checks?.refresh());
  const isUnsent = editing.isChanged && !editing.isOpen && form.elements.verdict.value;
  complain("verdict", isUnsent ? form.dataset.editsUnsent : "");
  for (const name of criteria)
    if (form.elements[name].value) complain(name, "");
}

/** End the blind first reading: what was hidden is shown, and when is part of the judgement. */
function reveal() {
  if (isLocked() || !("blind" in form.dataset)) return false;
  form.elements.revealed_after.value = timer.seconds;
  complain("reveal", "");
  refresh();
  scheduleDraft();
  keepDraft();
  main.focus({ preventScroll: true });
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
  if (isLocked()) return;
  const menu = form.querySelector("[data-skip]");
  menu.open = true;
  menu.querySelector("select").focus();
}

/** Open the texts for a correction, and offer other translations to start from. */
function revise() {
  editing.editFirst();
  import("./proposals.js").then(({ offer }) => offer(form, editing), () => null);
}

/** The checks of the item on the screen, loaded with the first that needs them; null where they are out of reach. */
async function checksOfItem() {
  const shown = editing;
  shown.checks ??= import("./checks.js").then(({ Checks }) => new Checks(form, shown), () => null);
  return shown.checks;
}

/** Ask what the server would refuse, and before a text with an error is approved. */
async function mayGo() {
  if (!editing.isOpen && !form.querySelector(".finding.error")) return true;
  return (await checksOfItem())?.mayGo() ?? true;
}

async function repair() {
  return (await checksOfItem())?.repair();
}

function scheduleDraft() {
  if (editing?.isChanged) checksOfItem().then((checks) => checks?.schedule());
  clearTimeout(draftTimer);
  draftTimer = setTimeout(keepDraft, 400);
}

function keepDraft() {
  clearTimeout(draftTimer);
  if (isLocked()) return;
  form.elements.active_seconds.value = timer.seconds;
  if (saveDraft(form.dataset.assignment, form)) say(fill(form.dataset.draftSaved, { time: clock() }), "saved");
}

/** Store the judgement on this device, show the next item, and send it meanwhile. */
async function submit(event) {
  event.preventDefault();
  if (isLocked() || !isComplete()) return;
  hold(); // what is pressed from now on is for the next item
  if (!(await mayGo()) || isLocked()) {
    release();
    return;
  }
  keepDraft();
  lock(true);
  const body = new URLSearchParams(new FormData(form));
  const entry = {
    ...entryOf(form, body),
    key: form.elements.idempotency_key.value,
    hasText: body.get("verdict") === "revise" || Boolean(body.get("comment").trim()),
    suggestUrl: form.dataset.suggestUrl,
  };
  if (!(await outbox.store(entry))) {
    form.submit(); // Nothing can be stored here: the page of the answer brings the next item.
    return;
  }
  remember({ seat: entry.assignment, item: entry.label, key: entry.key });
  countMine(1);
  await goOn(entry.assignment);
}

/** Skip without leaving the item's draft; Undo brings both back. */
async function skip(event) {
  event.preventDefault();
  if (isLocked()) return;
  hold();
  keepDraft();
  const { assignment, item } = form.dataset;
  const record = items.find(assignment);
  const entry = { ...entryOf(skipForm, new URLSearchParams(new FormData(skipForm))), isSkip: true };
  entry.key = `skip-${assignment}-${Date.now()}`;
  if (!(await outbox.store(entry))) {
    skipForm.submit();
    return;
  }
  const act = { seat: assignment, item, key: entry.key, isSkip: true };
  skipped.set(entry.key, record);
  remember(act);
  toast(fill(skipForm.dataset.skipped, { item }), {
    seconds: 20,
    action: { label: skipForm.dataset.undo, run: () => undo(act) },
  });
  await goOn(assignment);
}

function entryOf(source, body) {
  return {
    url: source.action, body: body.toString(), label: form.dataset.item, assignment: form.dataset.assignment,
  };
}

/** The item is dealt with: show the next that this device holds, and send what waits. */
async function goOn(seat) {
  sent.add(seat);
  tabs?.postMessage({ seat, isSent: true });
  const record = isOutdated ? null : await items.next(sent);
  if (record) show(record);
  else wait();
  const outcome = await outbox.flush();
  if (outcome === "signed-out") await comeBack();
  else if (isLocked()) await afterTry();
}

/** Nothing was left to show before the answer: look again now that what waited has been tried. */
async function afterTry() {
  const waiting = await outbox.pending();
  if (isOutdated && !waiting.length) return window.location.reload();
  const record = await items.next(sent);
  if (record) return show(record);
  if (!waiting.length) return reserve();
  return undefined;
}

/** What the server answered, at once or after a time without connection; whether a refusal is dealt with. */
async function settle(entry, result) {
  if (!isOfRound(entry)) return settleElsewhere(entry, result);
  if (result.kind === "refused") forgetAct(entry.key);
  if (result.kind === "refused" && !entry.isSkip) countMine(-1);
  if (result.kind === "refused" && isShown(entry) && !entry.isSkip) {
    showRefusal(result);
    return true;
  }
  await items.drop(entry.assignment); // the server gives it again if it is held still
  sent.delete(entry.assignment);
  if (result.kind === "refused") {
    if (isOver(result)) await items.dropOthers(form.dataset.assignment);
    if (result.data?.code === "revision_stale") await skipChanged(entry);
    return Boolean(entry.isSkip);
  }
  if (!entry.isSkip) {
    dropDraft(entry.assignment);
    keepForLater();
  }
  const answer = result.html && parse(result.html);
  const judgement = answer?.querySelector("[data-part=held]")?.dataset.judgement ?? result.data?.judgement;
  const act = acts.find(({ key }) => key === entry.key);
  if (act && judgement) act.judgement = judgement;
  keepActs(acts);
  if (answer) await takeIn(answer);
  return true;
}

/** What waited from another round or page: nothing of it belongs into this one. */
async function settleElsewhere(entry, result) {
  if (result.kind !== "taken") return false;
  if (entry.assignment) await items.drop(entry.assignment);
  const draft = entry.draft ?? (entry.isSkip ? null : entry.assignment);
  if (draft) dropDraft(draft);
  return true;
}

function isOfRound(entry) {
  return [form.action, skipForm.action].includes(entry.url);
}

/** Whether every other item of the round would be refused as well. */
function isOver(result) {
  return [403, 404].includes(result.status) || result.data?.code === "round_closed";
}

/** Whether the page still shows the item of this judgement, because no other was there. */
function isShown(entry) {
  return isLocked() && form.dataset.assignment === entry.assignment;
}

/** Ask for items: to fill up what is held, and to keep it reserved. */
async function reserve(isForced = false) {
  if (!isForced && !navigator.onLine) return;
  const result = await outbox.ask(form.dataset.reserveUrl, new URLSearchParams(), items.seats());
  if (result.kind === "taken" && result.html) await takeIn(parse(result.html));
  else if (result.kind === "refused" && isLocked()) complainOf(result);
  else if (result.kind === "busy" && isLocked()) note(form.dataset.nextWhenStored);
}

async function takeIn(answer) {
  const held = await items.takeIn(answer, (seat) => seat === form.dataset.assignment || sent.has(seat));
  isOutdated = held.dataset.build !== form.dataset.build;
  showNotice(held.dataset.notice);
  const progress = answer.querySelector("[data-part=progress]");
  if (progress) document.querySelector("[data-part=progress]")?.replaceWith(document.adoptNode(progress));
  keepProgress();
  showReservation();
  if (!isLocked() || isOutdated) return;
  const record = await items.next(sent);
  if (record) show(record);
  else if (answer.querySelector("[data-part=no-item]")) showNone(answer.querySelector("[data-part=no-item]"));
}

/** Take back the last act of this device, a judgement or a skip; the page where no item is left has a button. */
function undoLast() {
  const act = acts.at(-1);
  if (form?.isConnected || act?.isSkip) return undo(act);
  const notice = document.querySelector("[data-undo-notice]");
  notice?.requestSubmit();
  return Boolean(notice);
}

async function undo(act) {
  if (!act) return toast(form.dataset.nothingToUndo);
  hold(); // what is pressed from now on is for the item that comes back
  keepDraft();
  const entry = await outbox.takeBack(act.key);
  const result = entry ? await undoUnsent(act, entry) : await undoSent(act);
  if (result.kind === "taken" || TOO_LATE.includes(result.data?.code)) forgetAct(act.key);
  if (result.kind !== "taken") complainOf(result);
  else await bringBack(act.seat, result.values);
  return release();
}

/** Nobody has answered for it yet, so it comes back from this device. */
async function undoUnsent(act, entry) {
  const [url, values] = act.isSkip
    ? [skipForm.dataset.undoUrl, { assignment: act.seat }] : [form.dataset.undoUrl, { key: act.key }];
  await outbox.undo(entry, url, new URLSearchParams(values));
  const record = skipped.get(act.key);
  if (record && !items.find(act.seat)) await items.add(record);
  return { kind: "taken", values: act.isSkip ? null : valuesOf(entry.body) };
}

async function undoSent(act) {
  const [url, values] = act.isSkip
    ? [skipForm.dataset.undoUrl, { assignment: act.seat }]
    : [form.dataset.undoUrl, { judgement: act.judgement ?? "" }];
  const result = await outbox.ask(url, new URLSearchParams(values), items.seats());
  if (result.kind !== "taken") return result;
  sent.delete(act.seat);
  const answer = parse(result.html);
  if (form.isConnected) await takeIn(answer);
  if (act.isSkip) return result;
  toast(fill(form.dataset.undone, { item: act.item }));
  return { ...result, values: JSON.parse(answer.querySelector("#again").textContent) };
}

/** Show an item again that was sent away; the one on the screen comes after it. */
async function bringBack(seat, values = null) {
  sent.delete(seat);
  tabs?.postMessage({ seat, isSent: false });
  const record = items.find(seat);
  if (!record || !form.isConnected) return window.location.reload();
  await items.claim(seat);
  if (values) countMine(-1);
  show(record, values);
  return undefined;
}

/** Fill in what was said before; the key that it was sent with may be known to the server. */
function sayAgain(values) {
  form.elements.idempotency_key.value = newKey();
  fillForm(form, { values });
  timer.reset(Number(form.elements.active_seconds.value) || 0);
  judging.aimAtFirstOpen();
  refresh();
  keepDraft();
  checkNow();
}

/** Another key than the judgement that was taken back had, which the server may know. */
function newKey() {
  return `again-${Date.now()}-${Math.random().toString(36).slice(2)}`;
}

function valuesOf(body) {
  const values = {};
  for (const [name, value] of new URLSearchParams(body)) (values[name] ??= []).push(value);
  return values;
}

/** Also after the page is loaded again Undo takes it back. */
function remember(act) {
  keepActs([...acts.filter(({ key }) => key !== act.key), act].slice(-MOST_ACTS));
}

function forgetAct(gone) {
  skipped.delete(gone);
  keepActs(acts.filter(({ key }) => key !== gone));
}

function keepActs(all) {
  acts = all;
  storage.write("acts", form.dataset.round, acts);
  const button = form.querySelector("[data-undo-last]");
  const last = acts.at(-1);
  button.hidden = !last;
  if (last) button.title = fill(last.isSkip ? skipForm.dataset.skipped : form.dataset.judged, last);
}

/** An item whose text changed meanwhile can only be given back. */
function skipChanged(entry) {
  const body = new URLSearchParams({ assignment: entry.assignment, reason: "other", note: "text changed" });
  return outbox.ask(skipForm.action, body, items.seats());
}

function complainOf(result) {
  if (result.kind === "signed-out") return comeBack();
  const words = text(result.kind === "busy" ? "requestBusy" : "requestFailed");
  return toast(result.data?.detail || words, { tone: "bad", seconds: 0 });
}

/** Put the parts of an item in the place of those on the page, with the `values` that were sent for it before. */
function show(record, values = null) {
  const parts = parse(record.html).querySelectorAll("[data-part]");
  form.reset();
  form.elements.active_seconds.value = 0; // a hidden field is not reset
  Object.assign(form.dataset, { assignment: record.seat, item: record.item });
  for (const part of parts) {
    document.querySelector(`.workbench-form [data-part="${part.dataset.part}"]`)?.replaceWith(part);
  }
  form.hidden = false;
  clearMessages();
  document.title = document.title.replace(/^(?:.*? · )?/, `${record.item} · `);
  open();
  if (values) sayAgain(values);
  closeSheet(form);
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
  release();
}

function showNone(part) {
  release({ forget: true });
  main.replaceChildren(document.adoptNode(part));
  say("", "idle");
  document.title = document.title.replace(/^.*? · /, "");
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

/** Nothing to show before the server answers: what is sent stays on the screen and cannot be changed. */
function wait(words = "") {
  lock(true);
  release({ forget: true });
  const isOnline = navigator.onLine;
  busy(true, isOnline);
  say(isOnline ? form.dataset.sending : form.dataset.waiting, "waiting");
  note(words || (isOnline ? "" : form.dataset.noneKept));
  if (form.hidden || !isOnline) showStanding();
}

/** Where one stands while there is nothing to judge: what waits on this device, and when work goes on. */
async function showStanding() {
  const place = document.querySelector("[data-standing]");
  const count = (await outbox.pending()).filter(isOfRound).length;
  const words = place.querySelector("[data-waiting-count]");
  words.textContent = fill(words.dataset.text, { count });
  words.hidden = !count;
  place.hidden = !isLocked();
}

function isLocked() {
  return !form?.isConnected || "locked" in form.dataset;
}

/** Hold the controls of a judgement that is sent, so that what is shown is what is stored. */
function lock(isOn) {
  form.toggleAttribute("data-locked", isOn);
  if (!isOn) document.querySelector("[data-standing]").hidden = true;
  for (const part of form.querySelectorAll(".rows, fieldset, .judgement-part textarea, .send"))
    part.inert = isOn;
  busy(isOn);
}

function parse(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

function clearMessages() {
  const refusal = document.getElementById("refusal");
  refusal.replaceChildren();
  refusal.hidden = true;
  document.querySelector("[data-undo-notice]")?.remove();
  form.querySelector("[data-skip]").open = false;
  form.querySelector("[data-ask-approve]").hidden = true;
  form.querySelector("[data-nobody-named]").hidden = true;
  form.querySelector("[data-numbers]").hidden = true; // of the item before
  form.querySelector(".confirm-numbers").removeAttribute("data-needed");
  for (const name of ["reveal", "verdict", ...criteria]) complain(name, "");
  note("");
  say("", "idle");
}

function showNotice(words) {
  const place = form.querySelector("[data-notice]");
  place.lastElementChild.textContent = words;
  place.hidden = !words;
}

function countMine(change) {
  const place = document.querySelector("[data-mine]");
  if (!place) return;
  place.dataset.mine = Number(place.dataset.mine) + change;
  const count = new Intl.NumberFormat(document.documentElement.lang).format(place.dataset.mine);
  place.textContent = fill(place.dataset.text, { count });
  keepProgress();
}

/** What the bar says of the round, for the page that is opened without a connection. */
function keepProgress() {
  const [round, mine] = ["[data-part=progress]", "[data-mine]"].map((name) => document.querySelector(name));
  if (round && mine) storage.write("progress", form.dataset.round, { html: round.outerHTML, mine: mine.dataset.mine });
}

/** The kept page knows the figures of the day when it was kept; a page of the server not what `waits` to be sent. */
function showProgressSoFar(waits) {
  const known = "shell" in form.dataset && storage.read("progress", form.dataset.round);
  const mine = document.querySelector("[data-mine]");
  if (!mine) return;
  if (known) {
    document.querySelector("[data-part=progress]").replaceWith(parse(known.html).body.firstChild);
    mine.dataset.mine = known.mine;
  }
  countMine(known ? 0 : waits);
}

function isComplete() {
  const problems = "blind" in form.dataset ? [["reveal", form.dataset.showFirst]] : [];
  const verdict = form.elements.verdict.value;
  if (problems.length) complain("reveal", form.dataset.showFirst);
  if (!verdict) problems.push(["verdict", form.dataset.chooseVerdict]);
  else if (editing.isOpen && !editing.isChanged) problems.push(["verdict", form.dataset.nothingChanged]);
  else if (editing.isOpen && editing.isAnyEmpty) problems.push(["verdict", form.dataset.textEmpty]);
  for (const name of criteria)
    if (!form.elements[name].value) problems.push([name, document.getElementById(`f-${name}`).dataset.choose]);
  for (const name of ["verdict", ...criteria])
    complain(name, problems.find(([which]) => which === name)?.[1] ?? "");
  const first = problems[0]?.[0];
  if (first && first !== "reveal") openSheet(form);
  if (first) document.getElementById(`f-${first}`)?.scrollIntoView({ block: "nearest" });
  if (criteria.includes(first)) judging.aim(first);
  return !first;
}

function complain(name, words) {
  const place = form.querySelector(`[data-error="${name}"]`);
  place.textContent = words;
  place.hidden = !words;
}

function showRefusal(result) {
  lock(false);
  sent.delete(form.dataset.assignment);
  note("");
  say("", "idle");
  refuse(result.data?.detail ?? "", result.status === 409 ? "warn" : "bad", result.data?.fields);
  if (result.status === 409 || result.status === 404) offerWaysOut(result);
  if (result.status === 403) offerCopy();
  scheduleDraft();
  const current = result.data?.current;
  if (current?.question === undefined) return;
  const texts = editing.rows.map(({ area: { name } }) =>
    name.startsWith("option_") ? current.options?.[Number(name.slice(7))] : current[name] ?? "");
  form.elements.revision.value = current.revision ?? form.elements.revision.value;
  showDifference(editing.rows.map((row) => row.original), texts);
  editing.rebase(texts);
}

/** Nothing can be sent for this item any more: keep what was typed, or just go on. */
function offerWaysOut(result) {
  const code = result.data?.code ?? "";
  const row = document.createElement("div");
  row.className = "actions";
  row.append(
    wayOut(form.dataset.nextItem, () => leave(code)),
    wayOut(form.dataset.keep, async () => {
      const { suggest } = await import("./refusals.js");
      const kept = await suggest(form.dataset.suggestUrl, new URLSearchParams(new FormData(form)), code);
      if (kept.kind !== "taken") return complainOf(kept);
      toast(form.dataset.kept);
      return leave(code);
    }),
  );
  document.getElementById("refusal").append(row);
}

/** Who may judge here no more cannot leave a suggestion either, but takes along what was typed. */
function offerCopy() {
  const row = document.createElement("div");
  row.className = "actions";
  row.append(
    wayOut(text("copyText"), async () => {
      const { copyText } = await import("./refusals.js");
      return copyText(new URLSearchParams(new FormData(form)));
    }),
  );
  document.getElementById("refusal").append(row);
}

function wayOut(label, run) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn";
  button.textContent = label;
  button.addEventListener("click", run);
  return button;
}

/** Go on to the next item; one whose text changed is given back first. */
async function leave(code) {
  const { assignment } = form.dataset;
  sent.add(assignment);
  if (code === "revision_stale") await skipChanged({ assignment });
  await items.drop(assignment);
  const record = await items.next(sent);
  if (record) return show(record);
  wait();
  return reserve(true);
}

/** What changed under the reviewer's hands, as a list of differences; their own texts stay in the editors. */
async function showDifference(before, texts) {
  const languages = editing.rows.map((row) => row.area.lang);
  const { diff, diffNodes } = await import("./graphemes.js");
  const list = document.createElement("div");
  list.className = "panel stack tight";
  for (const [index, old] of before.entries()) {
    if (texts[index] === undefined || texts[index] === old) continue;
    const line = document.createElement("div");
    line.lang = languages[index];
    line.append(...diffNodes(diff(old, texts[index])));
    list.append(line);
  }
  if (list.childNodes.length) document.getElementById("refusal").append(list);
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
  if (form?.isConnected) keepDraftOf(form);
  const signIn = await import("./signin.js").catch(() => null);
  const back = `${path}?next=${encodeURIComponent(window.location.pathname)}`;
  if (!(await signIn?.signInHere(back))) return outbox.waitForSignIn();
  await outbox.flush();
  if (isLocked()) await afterTry();
  return undefined;
}

function keepDraftOf(shown) {
  saveDraft(shown.dataset.assignment, shown);
}

function note(words) {
  const place = form.querySelector("[data-note]");
  place.textContent = words;
  place.hidden = !words;
}

/** A button that turns says that something is on its way. */
function busy(isBusy, isOnItsWay = isBusy) {
  const button = form.querySelector("[data-submit]");
  button.toggleAttribute("disabled", isBusy);
  button.setAttribute("aria-busy", String(isOnItsWay));
}

function say(words, state) {
  const place = document.querySelector("[data-saved]");
  if (!place) return;
  place.textContent = words;
  place.dataset.state = state;
}

function tick() {
  if (!form.isConnected) return;
  showReservation();
  if (isLocked()) afterTry();
  else stayReserved();
}

/** Ask for more time while somebody is at work and half of it is gone. */
function stayReserved() {
  const record = items.find(form.dataset.assignment);
  const half = (Number(form.dataset.reservationMinutes) * 60_000) / 2;
  if (record && timer.wasActive(5) && record.until - Date.now() < half) reserve();
}

function showReservation() {
  const place = form?.isConnected && form.querySelector("[data-reserved]");
  const record = place && items.find(form.dataset.assignment);
  if (!record) return;
  const until = new Date(record.until);
  const time = place.querySelector("time");
  time.textContent = clock(until);
  const minutes = Math.ceil((until - Date.now()) / 60_000);
  const isSoon = minutes <= 3;
  place.toggleAttribute("data-soon", isSoon);
  time.hidden = isSoon;
  const soon = minutes > 0 ? fill(form.dataset.reservedSoon, { minutes }) : form.dataset.reservedOver;
  const words = isSoon ? soon : form.dataset.reservedUntil;
  if (place.firstChild.textContent.trim() !== words) place.firstChild.textContent = `${words} `;
  const isNoted = form.querySelector("[data-note]").textContent === form.dataset.expired;
  if (minutes <= 0) note(form.dataset.expired);
  else if (isNoted) note(""); // renewed meanwhile
}
