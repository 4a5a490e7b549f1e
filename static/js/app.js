// What every page needs: theme, menus, dialogs, copying, file drop, waiting marks, unsent judgements, old drafts.
import { all, forgetOthers } from "./device.js";
import { dropOldDrafts } from "./drafts.js";
import { initOutbox, isBusy } from "./outbox.js";
import { initTheme } from "./theme.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

initTheme();
forgetOthers().catch(() => {}); // Storage is off: nobody kept anything.
initOutbox();
document.addEventListener("lotsawa:refused", showRefused);
all("refused").then((kept) => kept.length && showRefused(), () => {});
dropOldDrafts();

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
  const target = event.target;
  const opener = target.closest("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog)?.showModal();
  if (target.closest("[data-close]")) target.closest("dialog")?.close();
  if (target.closest("[data-dismiss]")) target.closest("[data-dismissible]")?.remove();
  const copier = target.closest("[data-copy]");
  if (copier) copy(document.querySelector(copier.dataset.copy));
  if (target instanceof HTMLDialogElement) closeFromBackdrop(target, event);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.confirm && !window.confirm(form.dataset.confirm)) {
    event.preventDefault();
    return;
  }
  if (form.matches("[data-sign-out]")) {
    event.preventDefault();
    // Without its script, as without a connection, the form goes as it is.
    import("./sign-out.js").then((module) => module.signOut(form)).catch(() => form.submit());
    return;
  }
  const waits = !event.defaultPrevented && form.method === "post" && !form.hasAttribute("data-stay");
  if (waits) setTimeout(() => event.submitter?.setAttribute("aria-busy", "true"));
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches("[data-autosubmit]")) field.form.requestSubmit();
  if (field.matches("[data-drop] input[type=file]")) showFile(field);
});

for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(type, (event) => {
    const drop = event.target.closest?.("[data-drop]");
    drop?.toggleAttribute("data-over", type === "dragenter" || type === "dragover");
  });
}

// Back from history: no button may still look busy.
window.addEventListener("pageshow", () => {
  for (const busy of document.querySelectorAll("[aria-busy=true]")) busy.removeAttribute("aria-busy");
});

document.body.addEventListener("htmx:beforeRequest", () => progressBar(true));
document.body.addEventListener("htmx:afterRequest", () => progressBar(false));
document.body.addEventListener("htmx:sendError", () => toast(text("requestFailed"), { tone: "bad" }));
document.body.addEventListener("htmx:responseError", (event) => {
  toast(text(isBusy(event.detail.xhr.status) ? "requestBusy" : "requestRefused"), { tone: "bad" });
});

document.querySelector("[data-focus]")?.focus();

/** Few people ever see a refusal, so that its script comes with the first. */
function showRefused() {
  import("./refusals.js").then((refusals) => refusals.show(), () => {});
}

function progressBar(isOn) {
  document.getElementById("page-progress")?.classList.toggle("on", isOn);
}

async function copy(element) {
  if (!element) return;
  await navigator.clipboard.writeText(element.value ?? element.textContent.trim());
  toast(text("copied"), { seconds: 3 });
}

function closeFromBackdrop(dialog, event) {
  const box = dialog.getBoundingClientRect();
  const isInside = event.clientX >= box.left && event.clientX <= box.right
    && event.clientY >= box.top && event.clientY <= box.bottom;
  if (!isInside) dialog.close();
}

function showFile(input) {
  const name = input.closest("[data-drop]").querySelector("[data-drop-name]");
  const files = [...input.files].map((file) => file.name);
  if (files.length) name.textContent = files.join(", ");
}

// Comments and names in them: their script is loaded when somebody first wants it.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-comments]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  import("./comments.js").then((comments) => comments.open(link), () => location.assign(link.href));
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-comments-page]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  import("./comments.js").then((comments) => comments.turn(link), () => location.assign(link.href));
});
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-comments-form]");
  if (!form) return;
  event.preventDefault();
  import("./comments.js").then((comments) => comments.send(form, event.submitter), () => form.submit());
});
document.addEventListener("focusin", (event) => {
  const field = event.target.closest("textarea[data-mentions]");
  if (field) import("./comments.js").then((comments) => comments.complete(field), () => {});
});
