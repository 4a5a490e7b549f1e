// Sign-in in place: the sign-in page's own form, shown in a dialog, so that nothing typed is lost.
import { isBusy, useToken } from "./outbox.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

/**
 * Show the form of `url`; resolves true when signed in, false when the dialog was closed first or there
 * was no connection to fetch the form, which a toast then says.
 */
export async function signInHere(url) {
  const dialog = document.getElementById("sign-in");
  const place = dialog?.querySelector("[data-sign-in-form]");
  if (!place) return false;
  try {
    show(place, await fetchPage(url));
  } catch {
    toast(text("requestFailed"), { tone: "bad" });
    return false;
  }
  if (!dialog.open) dialog.showModal();
  place.querySelector("input:not([type=hidden])")?.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "in"), { once: true });
    dialog.returnValue = "";
    place.onsubmit = (event) => submit(event, dialog, place, url);
  });
}

async function submit(event, dialog, place, url) {
  event.preventDefault();
  const form = event.target;
  let response, page;
  try {
    response = await fetch(url, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
      credentials: "same-origin",
    });
    page = parse(await response.text());
  } catch {
    warn(form, text("requestFailed"));
    return;
  }
  if (isBusy(response.status) && !page.querySelector("main form")) {
    warn(form, text("requestBusy"));
    return;
  }
  const isStillSignIn = new URL(response.url).pathname === new URL(url, window.location.href).pathname;
  if (!response.ok || isStillSignIn) {
    show(place, page);
    return;
  }
  useToken(page.querySelector("input[name=csrfmiddlewaretoken]")?.value);
  dialog.close("in");
}

async function fetchPage(url) {
  const response = await fetch(url, { credentials: "same-origin" });
  return parse(await response.text());
}

/** Say above the form why it was not sent; what was typed stays. */
function warn(form, words) {
  form.querySelector("[data-not-sent]")?.remove();
  const box = document.createElement("div");
  box.className = "alert bad";
  box.setAttribute("role", "alert");
  box.dataset.notSent = "";
  box.textContent = words;
  form.prepend(box);
}

function parse(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

function show(place, page) {
  const form = page.querySelector("main form");
  place.replaceChildren(...(form
    ? [document.adoptNode(form)]
    : [...page.querySelectorAll("main [role=alert], main h1")]));
}
