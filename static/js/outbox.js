// Judgements on their way: each is stored on this device with its idempotency key before it is sent, and
// forgotten only when the server has answered for it. What could not be sent is tried again with back-off,
// on every page, by one tab at a time.
import { all, remove, write } from "./storage.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

const WAITS = [2, 4, 8, 15, 30, 60];
const LONGEST_WAIT = 300;
const GIVE_UP_MS = 30_000; // the server itself waits up to 20 seconds for its database
const COME_AGAIN = [408, 425, 429];
let tries = 0;
let timer = 0;
let watcher = null;
let isWatched = () => false;

/** Sends what waits from earlier, and again whenever the connection comes back. */
export function initOutbox() {
  window.addEventListener("online", flush);
  if (all("outbox").length) flush();
}

/** While a page watches, it hears what became of each entry, and gets the next item for the one that it shows. */
export function watchOutbox(run, isShown) {
  watcher = run;
  isWatched = isShown;
}

export function store(entry) {
  return write("outbox", entry.key, { ...entry, at: Date.now() });
}

export function forget(key) {
  remove("outbox", key);
  showBanner();
}

export function pending() {
  return all("outbox").map(([, entry]) => entry);
}

/**
 * Send one stored entry; the answer brings the next item if `wantsNext`. Returns {kind, …}: "taken"
 * {html | data}, "refused" {status, data}, "signed-out" {url}, "offline", or "busy" {wait}: the server
 * or a proxy said "not now", and in `wait` seconds if it said when (else 0). Sending the same entry twice
 * is safe: the server knows its key.
 */
export async function send(entry, wantsNext = false) {
  const headers = wantsNext ? { "Lotsawa-Fragment": "next-item" } : {};
  return read(() => post(entry.url, new URLSearchParams(entry.body), headers));
}

/** Send a form that must not wait in the outbox; the answer brings the next item. Returns what `send` does. */
export async function ask(url, body) {
  const send = () => read(() => post(url, body, { "Lotsawa-Fragment": "next-item" }));
  const result = await send();
  return result.isStale ? send() : result;
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

export async function flush() {
  clearTimeout(timer);
  if (!navigator.locks) return flushAll();
  return navigator.locks.request("lotsawa-outbox", { ifAvailable: true }, (lock) => lock && flushAll());
}

export function useToken(token) {
  if (!token) return;
  for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) field.value = token;
  document.body.setAttribute("hx-headers", JSON.stringify({ "x-csrftoken": token }));
}

async function flushAll() {
  for (const entry of pending()) {
    const result = await send(entry, isWatched(entry));
    if (result.kind === "offline" || result.kind === "busy") return retryLater(result);
    if (result.kind === "signed-out") {
      showBanner("signed-out");
      watcher?.(entry, result);
      return undefined;
    }
    tries = 0;
    forget(entry.key);
    if (watcher) watcher(entry, result);
    else report(result);
  }
  showBanner();
  return undefined;
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

function plain(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  return (page.querySelector("[role=alert], main h1, h1")?.textContent ?? page.title).trim();
}

function report(result) {
  if (result.kind === "taken") toast(text("sent"), { seconds: 3 });
  else toast(text("lostConflict", { detail: result.data?.detail ?? "" }), { tone: "bad", seconds: 0 });
}

function showBanner(why = "offline") {
  const place = document.getElementById("banners");
  const count = pending().length;
  let banner = place?.querySelector("[data-outbox]");
  if (!place || !count) return banner?.remove();
  if (!banner) place.append((banner = makeBanner()));
  const [words, button] = banner.children;
  const isSignedOut = why === "signed-out";
  words.textContent = text({ "signed-out": "signInNeeded", busy: "notStored", offline: "notSent" }[why], { count });
  button.textContent = text(isSignedOut ? "signIn" : "sendNow");
  button.onclick = isSignedOut ? askToSignIn : flush;
  return undefined;
}

// Made once and then only reworded: a button that is replaced at every try cannot be pressed or focused.
function makeBanner() {
  const banner = document.createElement("div");
  banner.className = "banner";
  banner.dataset.outbox = "";
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
