// Which single key does what: as the page's keyboard map says, or as this person changed it on this device.
import * as storage from "./storage.js";
import { fill } from "./texts.js";

const map = document.getElementById("keymap");
const page = map?.dataset.keys;
const defaults = new Map([...(map?.querySelectorAll("kbd[data-key]") ?? [])]
  .map((key) => [key.dataset.key, key.textContent.toLowerCase()]));
let chosen = storage.read("setting", "keys") ?? {};

if (map) listen();

/** Whether single keys act, and the letter of each action. */
export function settings() {
  return { areOn: areOn(), letters: current() };
}

/** Write the keys as they are now beside whatever they do; again after a part of the page was exchanged. */
export function showKeys() {
  document.documentElement.toggleAttribute("data-keys-off", !areOn());
  for (const [action, letter] of current()) {
    const shown = letter.toUpperCase();
    for (const key of document.querySelectorAll(`kbd[data-key="${action}"]`)) key.textContent = shown;
    for (const field of map.querySelectorAll(`[data-key-field="${action}"]`)) field.value = shown;
    for (const one of document.querySelectorAll(`[data-shortcut="${action}"]`)) {
      if (areOn()) one.setAttribute("aria-keyshortcuts", shown);
      else one.removeAttribute("aria-keyshortcuts");
    }
  }
  map.querySelector("[data-keys-on]").checked = areOn();
}

function listen() {
  map.querySelector("[data-keys-on]").addEventListener("change",
    (event) => keep({ ...chosen, areOff: !event.target.checked }));
  map.querySelector("[data-keys-reset]").addEventListener("click",
    () => keep({ ...chosen, areOff: false, [page]: {} }));
  map.querySelector("[data-keys-change]").addEventListener("click", (event) => {
    const isEditing = map.toggleAttribute("data-editing");
    event.currentTarget.setAttribute("aria-pressed", String(isEditing));
    if (isEditing) map.querySelector("[data-key-field]").focus();
  });
  map.addEventListener("focusin", (event) => event.target.matches("[data-key-field]") && event.target.select());
  map.addEventListener("input", (event) => event.target.matches("[data-key-field]") && !event.isComposing
    && change(event.target, event.data ?? event.target.value));
  map.addEventListener("focusout", (event) => event.target.matches("[data-key-field]") && showKeys());
  map.addEventListener("close", () => complain(""));
  showKeys();
}

function change(field, typed) {
  const letter = typed.trim().toLowerCase();
  if (!letter) return;
  const other = find((action, used) => used === letter && action !== field.dataset.keyField);
  if (!/^\p{L}$/u.test(letter)) complain(map.dataset.notALetter);
  else if (other) complain(fill(map.dataset.taken, {
    key: letter.toUpperCase(),
    action: document.getElementById(`key-${other}`).textContent,
  }));
  else keep({ ...chosen, [page]: { ...chosen[page], [field.dataset.keyField]: letter } });
  showKeys();
  field.select();
}

function keep(settings) {
  chosen = settings;
  storage.write("setting", "keys", chosen);
  complain("");
  showKeys();
}

function complain(words) {
  const place = map.querySelector("[data-key-error]");
  place.textContent = words;
  place.hidden = !words;
}

function areOn() {
  return !chosen.areOff;
}

function current() {
  return [...defaults].map(([action, letter]) => [action, chosen[page]?.[action] ?? letter]);
}

function find(matches) {
  return current().find(([action, letter]) => matches(action, letter))?.[0];
}
