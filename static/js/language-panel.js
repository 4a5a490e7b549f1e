// One dialog for what the language help fetches: concordance, similar items, a term to propose.
import { toast } from "./toasts.js";
import { text } from "./texts.js";

let dialog = null;
let help = null;
let asked = 0;

export async function show(element, name, selected) {
  help = element;
  dialog ??= make();
  dialog.querySelector("h2").textContent = help.dataset[`${name}Title`];
  const uid = document.getElementById("judgement")?.dataset.item || help.dataset.uid;
  const values = {
    find: { q: selected },
    similar: selected ? { text: selected } : { item: uid },
    propose: { source: selected, item: uid },
  };
  if (!dialog.open) dialog.showModal();
  await fill(`${help.dataset[`${name}Url`]}?${new URLSearchParams(values[name])}`);
  dialog.querySelector("input[type=search], input[name=source]")?.focus();
}

function make() {
  const made = document.createElement("dialog");
  made.className = "wide language-panel";
  made.setAttribute("aria-labelledby", "language-panel-title");
  const header = document.createElement("header");
  const title = document.createElement("h2");
  title.id = "language-panel-title";
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "icon-btn", textContent: "×" });
  close.dataset.close = "";
  close.setAttribute("aria-label", help.dataset.closeLabel);
  header.append(title, close);
  const body = document.createElement("div");
  body.className = "body";
  made.append(header, body);
  made.addEventListener("submit", send);
  made.addEventListener("keydown", (event) => {
    // In a search field, Escape would only empty the field.
    if (event.key === "Escape" && !event.isComposing) made.close();
  });
  document.body.append(made);
  return made;
}

async function send(event) {
  event.preventDefault();
  event.stopPropagation();
  const form = event.target;
  if (form.matches("[data-search]")) {
    await fill(`${form.action}?${new URLSearchParams(new FormData(form))}`);
    dialog.querySelector("input[type=search]")?.focus();
  } else if (form.matches("[data-propose]")) await propose(form);
}

async function fill(address) {
  const number = ++asked;
  const body = dialog.querySelector(".body");
  body.textContent = help.dataset.loading;
  const html = await fetchPanel(address);
  if (number !== asked) return; // a later question was asked meanwhile
  if (html === null) body.textContent = text("requestFailed");
  else body.innerHTML = html;
}

async function fetchPanel(address) {
  try {
    const answer = await fetch(address, { headers: { "Lotsawa-Fragment": "panel" } });
    const isPanel = !answer.redirected && (answer.ok || answer.status === 400);
    return isPanel ? await answer.text() : null;
  } catch {
    return null; // no connection
  }
}

async function propose(form) {
  let answer = null;
  let said = {};
  try {
    answer = await fetch(form.action, {
      method: "POST",
      body: new FormData(form),
      headers: { Accept: "application/json" },
    });
    said = await answer.json();
  } catch {
    said = { detail: text("requestFailed") };
  }
  if (answer?.ok) {
    dialog.close();
    toast(help.dataset.proposed);
    return;
  }
  const place = form.querySelector("[role=alert]") ?? document.createElement("p");
  place.className = "field-error";
  place.setAttribute("role", "alert");
  place.textContent = [said.detail, ...Object.values(said.fields ?? {}).flat()].filter(Boolean).join(" ");
  form.prepend(place);
}
