// Signing out leaves nothing of a person on this device, but for work that is not sent if they ask to keep it.
import * as device from "./device.js";
import { draftCount } from "./drafts.js";
import { flush } from "./outbox.js";
import * as storage from "./storage.js";
import { fill } from "./texts.js";

const SEND_MS = 3000;

/** Send what can be sent, ask about the rest, empty the device, then sign out; nothing happens on "Cancel". */
export async function signOut(form) {
  if (navigator.onLine) await Promise.race([flush(), new Promise((resolve) => setTimeout(resolve, SEND_MS))]);
  const unsent = await findUnsent();
  const answer = unsent.length ? await ask(unsent) : "delete";
  if (!answer) return;
  const stores = answer === "keep" ? [] : ["outbox", "refused"];
  await device.forgetPerson(stores).catch(() => {}); // Storage is off: nothing is kept.
  storage.forgetPerson(answer === "keep" ? ["draft"] : []);
  // Work of somebody else may wait here too: the server then leaves this device's storage alone.
  const isWaiting = (await device.hasWork().catch(() => false)) || storage.hasAny("draft");
  form.elements.keep.value = isWaiting ? "1" : "";
  form.submit();
}

/** The words of each thing that this person has not sent. */
async function findUnsent() {
  document.dispatchEvent(new CustomEvent("lotsawa:sign-out")); // what was typed last becomes a draft
  const stored = await Promise.all([device.all("outbox"), device.all("refused")]).catch(() => []);
  const sent = stored.flat();
  const words = sent.map((entry) => entry.label ?? entry.key);
  const drafts = draftCount(sent.map((entry) => entry.draft ?? entry.assignment));
  if (drafts) words.push(fill(document.getElementById("sign-out").dataset.drafts, { count: drafts }));
  return words;
}

/** Resolves to "keep", "delete" or "". */
function ask(unsent) {
  const dialog = document.getElementById("sign-out");
  const rows = unsent.map((words) => Object.assign(document.createElement("li"), { textContent: words }));
  const list = document.createElement("ul");
  list.append(...rows);
  dialog.querySelector("ul")?.remove();
  dialog.querySelector(".body p").after(list);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}
