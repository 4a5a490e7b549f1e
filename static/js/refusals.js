// Judgements that the server refused: what was typed stays on this device until its author has decided.
import * as device from "./device.js";
import { ask, flush, store } from "./outbox.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

/** Show what is kept, above the page. */
export async function show() {
  const place = document.getElementById("banners");
  if (!place) return;
  let refused = [];
  try {
    refused = await device.all("refused");
  } catch {
    // Storage is off: nothing was kept.
  }
  for (const old of place.querySelectorAll("[data-refused]")) old.remove();
  place.append(...refused.map(banner));
}

function banner(entry) {
  const box = document.createElement("div");
  box.className = "banner";
  box.dataset.refused = entry.assignment;
  const words = document.createElement("span");
  const fields = Object.values(entry.fields ?? {}).flat();
  const isShutOut = [403, 404].includes(entry.status);
  const shutOut = [text("shutOut"), entry.hasText && text("copyToKeep")];
  const said = entry.status === 404 ? shutOut : [entry.detail, ...fields];
  const detail = said.filter(Boolean).join(" ");
  words.textContent = text("refused", { item: entry.label, detail });
  box.append(words);
  if (entry.suggestUrl && entry.hasText && !isShutOut) box.append(button("keepSuggestion", () => keep(entry)));
  if (entry.code === "numbers_unconfirmed") box.append(button("sendConfirmed", () => sendConfirmed(entry)));
  if (entry.hasText) box.append(button("copyText", () => copyText(entry.body)));
  box.append(button("discard", () => drop(entry)));
  return box;
}

async function keep(entry) {
  const result = await suggest(entry.suggestUrl, entry.body, entry.code);
  if (result.kind !== "taken") {
    toast(result.data?.detail || text("requestFailed"), { tone: "bad", seconds: 0 });
    return;
  }
  toast(text("suggestionKept"));
  await drop(entry);
}

/** The texts and the comment of a form, for the author to put elsewhere: the server may take them no more. */
export async function copyText(body) {
  const values = [...new URLSearchParams(body)];
  const typed = values.filter(([name]) => /^(question|explanation|option_|comment)/.test(name));
  const words = typed.map(([, value]) => value.trim()).filter(Boolean).join("\n");
  try {
    await navigator.clipboard.writeText(words);
    toast(text("copied"), { seconds: 3 });
  } catch {
    toast(words, { seconds: 0 }); // no clipboard here: shown, to be marked and copied by hand
  }
}

/** The author meant the numbers that the server asked about: the same judgement says so now. */
async function sendConfirmed(entry) {
  const body = new URLSearchParams(entry.body);
  body.set("numbers_confirmed", "1");
  if (!(await store({ ...entry, body: body.toString() }))) return;
  await drop(entry);
  flush();
}

/** Keep the texts of a form as a suggestion, with the code of the refusal. Returns what `ask` does. */
export function suggest(url, body, reason) {
  const values = new URLSearchParams(body);
  values.set("reason", reason);
  return ask(url, values, []);
}

async function drop(entry) {
  await device.remove("refused", entry.key);
  show();
}

function button(name, run) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn small";
  made.textContent = text(name);
  made.addEventListener("click", run);
  return made;
}
