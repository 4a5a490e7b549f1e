// What people sent, on its way: each form is stored on this device with its idempotency key before it is sent, and
// forgotten only when the server has answered for it. What could not be sent is tried again with back-off,
// on every page, by one tab at a time and in the order in which it was stored.
import * as device from "./device.js";
import { all, remove } from "./storage.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

const WAITS = [2, 4, 8, 15, 30, 60];
const LONGEST_WAIT = 300;
const GIVE_UP_MS = 30_000; // the server itself waits up to 20 seconds for its database
const COME_AGAIN = [408, 425, 429];
let tries = 0;
let timer = 0;
let watcher = null;

/** Sends what waits from earlier, and again whenever the connection comes back. */
export async function initOutbox() {
  window.addEventListener("online", flush);
  await moveFromEarlierBuild();
  if ((await pending()).length) flush();
}

/**
 * While a page watches, it hears what became of each entry: `settle(entry, result)` returns whether it has
 * dealt with a refusal. `have(entry)` tells the seats that the page has, and the answer to the last entry brings
 * more items; null for an entry of another page, whose answer brings none.
 */
export function watchOutbox(settle, have) {
  watcher = { settle, have };
}

/** Resolves to whether it is really stored. */
export async function store(entry) {
  try {
    await device.put("outbox", entry.key, entry);
    showBanner();
    return true;
  } catch {
    return false;
  }
}

/** Let the server undo what it may have of `entry`, which was taken back; nothing happens if it never came. */
export async function undo(entry, url, values) {
  if (!entry.wasTried) return;
  await store({ key: `undo-${entry.key}`, url, body: String(values), label: entry.label, isUndo: true });
}

export async function forget(key) {
  await device.remove("outbox", key);
  showBanner();
}

/**
 * Take an entry out again, unless the server has answered for it; returns the entry, or null. An answer that is
 * on its way is waited for. Where the entry `wasTried`, the server may have it all the same, as its answer may be
 * lost: it is told in `undo`, before what is sent in the entry's place under a key of its own.
 */
export async function takeBack(key) {
  const take = async () => {
    const entry = (await pending()).find((waiting) => waiting.key === key) ?? null;
    if (entry) await forget(key);
    return entry;
  };
  return navigator.locks ? navigator.locks.request("lotsawa-outbox", take) : take();
}

export async function pending() {
  try {
    return await device.all("outbox");
  } catch {
    return [];
  }
}

/**
 * Send one stored entry; with `have`, the answer brings the items that are held beyond those. Returns
 * {kind, …}: "taken" {html | data}, "refused" {status, data}, "signed-out" {url}, "offline", or "busy"
 * {wait}: the server or a proxy said "not now", and in `wait` seconds if it said when (else 0). Sending the
 * same entry twice is safe: the server knows its key.
 */
export async function send(entry, have = null) {
  return read(() => post(entry.url, new URLSearchParams(entry.body), have ? itemsWanted(have) : {}));
}

/** Send a form that must not wait in the outbox; the answer brings items. Returns what `send` does. */
export async function ask(url, body, have) {
  const send = () => read(() => post(url, body, itemsWanted(have)));
  const result = await send();
  return result.isStale ? send() : result;
}

function itemsWanted(have) {
  return { "Lotsawa-Fragment": "items", "Lotsawa-Have": have.join(",") };
}

async function read(request) {
  let response;
  try {
    response = await request();
  } catch {
    return { kind: "offline" };
  }
  if (isSignIn(response)) return { kind: "signed-out", url: response.url };
  if (isBusy(response.status)) return { kind: "busy", wait: secondsToWait(response) };
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const body = isJson ? await response.json() : await response.text();
  if (isJson && body?.code === "stale_form") {
    useToken(body.csrf_token); // signed in again in another tab: the next try carries the token that fits
    return { kind: "offline", isStale: true };
  }
  if (!response.ok) return { kind: "refused", status: response.status, data: isJson ? body : { detail: plain(body) } };
  return isJson ? { kind: "taken", data: body } : { kind: "taken", html: body };
}

/** Whether an answer of this status says neither yes nor no, so that the same request may come again. */
export function isBusy(status) {
  return status >= 500 || COME_AGAIN.includes(status);
}

/** Keep trying in the background until everything is sent: when the server said, else with back-off. */
export function retryLater(result) {
  showBanner(result.kind);
  clearTimeout(timer);
  timer = setTimeout(flush, 1000 * (result.wait ? result.wait * (1 + Math.random() / 4) : backOff()));
}

function backOff() {
  const wait = WAITS[Math.min(tries, WAITS.length - 1)];
  tries += 1;
  return wait * (0.8 + 0.4 * Math.random());
}

/** Say that only a sign-in is missing; trying again without one would be in vain. */
export function waitForSignIn() {
  clearTimeout(timer);
  showBanner("signed-out");
}

/**
 * Send everything that waits. A tab that is sending already is waited for: it may not know the last entry.
 * Resolves to "signed-out" if nothing can be sent before a sign-in.
 */
export async function flush() {
  clearTimeout(timer);
  if (!navigator.locks) return flushAll();
  return navigator.locks.request("lotsawa-outbox", flushAll);
}

export function useToken(token) {
  if (!token) return;
  for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) field.value = token;
  document.body.setAttribute("hx-headers", JSON.stringify({ "x-csrftoken": token }));
}

async function flushAll() {
  for (let waiting = await pending(); waiting.length; waiting = await pending()) {
    const [entry] = waiting;
    if (navigator.onLine && !entry.wasTried) await device.put("outbox", entry.key, { ...entry, wasTried: true });
    const have = waiting.length === 1 ? watcher?.have?.(entry) : null;
    const result = await send(entry, have);
    if (result.kind === "offline" || result.kind === "busy") return retryLater(result);
    if (result.kind === "signed-out") {
      showBanner("signed-out");
      return result.kind;
    }
    tries = 0;
    const isSettled = await watcher?.settle(entry, result);
    const hasWork = !entry.isSkip && !entry.isUndo;
    if (result.kind === "refused" && !isSettled && hasWork) await keepRefused(entry, result);
    await forget(entry.key);
    if (!watcher && result.kind === "taken") toast(text("sent"), { seconds: 3 });
  }
  showBanner();
  return undefined;
}

/** Kept until its author has decided what to do with it; refusals.js shows it on every page. */
async function keepRefused(entry, result) {
  await device.put("refused", entry.key, {
    ...entry, status: result.status,
    code: result.data?.code ?? "", detail: result.data?.detail ?? "", fields: result.data?.fields ?? {},
  });
  document.dispatchEvent(new CustomEvent("lotsawa:refused"));
}

/** Before IndexedDB, judgements waited in localStorage; those of a page that was open since are sent too. */
async function moveFromEarlierBuild() {
  for (const [key, entry] of all("outbox")) {
    if (await store({ ...entry, key })) remove("outbox", key);
  }
}

async function post(url, body, headers) {
  const token = document.querySelector("input[name=csrfmiddlewaretoken]")?.value;
  if (token) body.set("csrfmiddlewaretoken", token);
  return fetch(url, {
    method: "POST",
    body,
    credentials: "same-origin",
    headers: { Accept: "application/json, text/html;q=0.9", "X-Requested-With": "fetch", ...headers },
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
}

function isSignIn(response) {
  const path = document.getElementById("texts")?.dataset.signInUrl;
  return response.status === 401 || (response.redirected && path && new URL(response.url).pathname === path);
}

/** What `Retry-After` says, as a number of seconds or as a time; 0 if it says nothing. */
function secondsToWait(response) {
  const said = response.headers.get("Retry-After") ?? "";
  const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1000;
  return seconds > 0 ? Math.min(seconds, LONGEST_WAIT) : 0;
}

/** What a page says: its alert, or else its heading and what stands below that. */
function plain(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const alert = page.querySelector("[role=alert]");
  const said = alert ? [alert] : [...page.querySelectorAll("main h1, main h1 ~ p")];
  const words = said.map((part) => part.textContent.trim().replace(/\s+/g, " ")).filter(Boolean);
  return words.map((each) => (/[\p{L}\p{N}]$/u.test(each) ? `${each}.` : each)).join(" ") || page.title;
}

/** How much waits, and `why`; without a reason only what is shown already is brought up to date. */
async function showBanner(why = "") {
  const place = document.getElementById("banners");
  const count = (await pending()).length;
  let banner = place?.querySelector("[data-outbox]");
  if (!place || !count) return banner?.remove();
  if (!banner && !why) return undefined;
  if (!banner) place.append((banner = makeBanner()));
  banner.dataset.outbox = why || banner.dataset.outbox;
  const [words, button] = banner.children;
  const isSignedOut = banner.dataset.outbox === "signed-out";
  const name = { "signed-out": "signInNeeded", busy: "notStored", offline: "notSent" }[banner.dataset.outbox];
  words.textContent = text(name, { count });
  button.textContent = text(isSignedOut ? "signIn" : "sendNow");
  button.onclick = isSignedOut ? askToSignIn : flush;
  return undefined;
}

// Made once and then only reworded: a button that is replaced at every try cannot be pressed or focused.
function makeBanner() {
  const banner = document.createElement("div");
  banner.className = "banner";
  banner.dataset.outbox = "offline";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn small";
  banner.append(document.createElement("span"), button);
  return banner;
}

function askToSignIn() {
  const path = document.getElementById("texts")?.dataset.signInUrl;
  if (document.getElementById("sign-in")) document.dispatchEvent(new CustomEvent("lotsawa:sign-in"));
  else if (path) window.location.assign(`${path}?next=${encodeURIComponent(window.location.pathname)}`);
}
