// Comments over any page: a dialog with the threads of one item, sent without leaving the page; names after an @.
import { text } from "./texts.js";
import { toast } from "./toasts.js";

let dialog = null;
let names = null;

/** Show the comments that `link` leads to in a dialog; follow the link where they cannot be had. */
export async function open(link) {
  const answer = await ask(link.href, {}).catch(() => null);
  if (!answer?.ok || !isPart(answer)) {
    toast(text("requestFailed"), { tone: "bad" });
    return;
  }
  dialog ??= makeDialog();
  dialog.querySelector("h2").textContent = link.dataset.title ?? link.textContent.trim();
  dialog.querySelector(".body").innerHTML = await answer.text();
  dialog.dataset.for = link.href;
  if (!dialog.open) dialog.showModal();
  (dialog.querySelector("#new-comment") ?? dialog).focus();
}

/** Send a form of the threads and show what comes back in its place; what was typed elsewhere stays. */
export async function send(form, submitter) {
  if (form.dataset.busy) return;
  form.dataset.busy = "";
  const address = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  const answer = await ask(address, { method: "POST", body: new FormData(form) }).catch(() => null);
  delete form.dataset.busy;
  submitter?.removeAttribute("aria-busy");
  const body = form.closest("[data-comments-body]");
  if (!answer || !isPart(answer)) {
    toast(text(answer ? "requestRefused" : "requestFailed"), { tone: "bad" });
    return;
  }
  const next = await replace(body, answer, form);
  const wanted = answer.ok ? "#new-comment" : "[aria-invalid]";
  (next.querySelector("[data-warning]") ?? next.querySelector(wanted) ?? next).focus();
}

/** Show the page of comments that `link` leads to in place of this one; what was typed stays. */
export async function turn(link) {
  const answer = await ask(link.href, {}).catch(() => null);
  if (!answer?.ok || !isPart(answer)) return location.assign(link.href);
  const next = await replace(link.closest("[data-comments-body]"), answer, null);
  next.tabIndex = -1;
  next.focus();
}

/** Offer names after an @ in `field`, chosen with arrows and Enter or by pointing. */
export function complete(field) {
  if (field.dataset.completes) return;
  field.dataset.completes = "on";
  field.addEventListener("input", () => look(field));
  field.addEventListener("keydown", (event) => names && names.field === field && choose(event));
  field.addEventListener("blur", () => setTimeout(close, 150));
}

function ask(address, init) {
  return fetch(address, { ...init, headers: { "HX-Request": "true" }, credentials: "same-origin" });
}

function isPart(answer) {
  return !answer.redirected && (answer.headers.get("Content-Type") ?? "").startsWith("text/html");
}

/** Put the comments of an answer in place of `body`, with what was typed in other forms than `sent`. */
async function replace(body, answer, sent) {
  const typed = unsent(body, sent);
  const place = document.createElement("template");
  place.innerHTML = await answer.text();
  const next = place.content.querySelector("[data-comments-body]");
  body.replaceWith(next);
  for (const [id, words] of typed) {
    const field = next.querySelector(`#${id}`);
    if (field && !field.value) field.value = words;
  }
  return next;
}

function unsent(body, sent) {
  return [...body.querySelectorAll("textarea")]
    .filter((field) => field.form !== sent && field.value)
    .map((field) => [field.id, field.value]);
}

function makeDialog() {
  const made = document.createElement("dialog");
  made.className = "comments-dialog";
  made.setAttribute("aria-labelledby", "comments-title");
  made.innerHTML = '<header><h2 id="comments-title"></h2>'
    + '<button class="icon-btn" type="button" data-close></button></header><div class="body"></div>';
  const button = made.querySelector("button");
  button.setAttribute("aria-label", text("dismiss"));
  button.textContent = "×";
  document.body.append(made);
  return made;
}

/** What stands between an @ and the cursor, if anything does. */
function typedName(field) {
  return /(?:^|[^\p{L}\p{N}_])@([^@\n]{0,40})$/u.exec(field.value.slice(0, field.selectionStart))?.[1];
}

async function look(field) {
  const typed = typedName(field);
  const wanted = (field.dataset.wanted = typed ?? "");
  if (typed === undefined) return close();
  const address = field.closest("[data-comments-body]").dataset.names;
  const answer = await fetch(`${address}?q=${encodeURIComponent(typed)}`, { headers: { Accept: "application/json" } })
    .catch(() => null);
  const found = answer?.ok ? (await answer.json()).names : [];
  if (field.dataset.wanted === wanted && document.activeElement === field) show(field, found);
}

function show(field, found) {
  close();
  if (!found.length) return;
  const list = document.createElement("ul");
  list.className = "mention-list";
  list.role = "listbox";
  list.id = `${field.id}-names`;
  list.setAttribute("aria-label", "@");
  found.forEach(({ name }, index) => {
    const row = document.createElement("li");
    row.role = "option";
    row.id = `${list.id}-${index}`;
    row.textContent = name;
    row.addEventListener("mousedown", (event) => {
      event.preventDefault();
      insert(index);
    });
    list.append(row);
  });
  field.after(list);
  names = { field, list, at: 0 };
  field.setAttribute("aria-controls", list.id);
  mark(0);
}

function choose(event) {
  if (event.isComposing) return;
  const moves = { ArrowDown: 1, ArrowUp: -1 };
  const count = names.list.children.length;
  if (event.key in moves) mark((names.at + moves[event.key] + count) % count);
  else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") insert(names.at);
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function mark(index) {
  names.at = index;
  [...names.list.children].forEach((row, n) => row.setAttribute("aria-selected", String(n === index)));
  names.field.setAttribute("aria-activedescendant", names.list.children[index].id);
}

function insert(index) {
  const { field, list } = names;
  const end = field.selectionStart;
  const typed = typedName(field) ?? ""; // more may have been typed since the list was asked for
  field.setRangeText(`${list.children[index].textContent} `, end - typed.length, end, "end");
  close();
  field.focus();
}

function close() {
  if (!names) return;
  names.list.remove();
  names.field.removeAttribute("aria-activedescendant");
  names.field.removeAttribute("aria-controls");
  names = null;
}
