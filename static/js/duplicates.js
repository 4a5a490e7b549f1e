// Duplicates by keyboard: one pair is current; a decision moves on to the next open one.
import { bindKeys } from "./keyboard.js";

const cards = () => [...document.querySelectorAll("[data-pair]")];
const current = () => document.querySelector("[data-pair][aria-current=true]");
const isOpen = (card) => card.querySelector("[data-pair-state]")?.dataset.pairState === "open";

choose(cards().find(isOpen) ?? cards()[0], { scroll: false });

bindKeys({ kind: "plain" }, {
  next: () => step(1),
  previous: () => step(-1),
  reason: () => current()?.querySelector("input[name=reason]")?.focus(),
  reopen: () => current()?.querySelector("[data-reopen]")?.click(),
  digit: ({ digit }) => press(current()?.querySelector(`[data-decision="${digit}"]`)),
});

document.addEventListener("click", (event) => {
  const card = event.target.closest("[data-pair]");
  if (card) choose(card, { scroll: false });
});

// Enter in the reason field must not take the first button: which item goes is never a default.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("[data-pair] input[name=reason]")) event.preventDefault();
});

// An answer brings the feet of all pairs that it touches; those of other pages have no place here.
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const answer = document.createElement("template");
  answer.innerHTML = event.detail.serverResponse;
  for (const foot of answer.content.querySelectorAll("[hx-swap-oob]")) {
    if (!document.getElementById(foot.id)) foot.remove();
  }
  event.detail.serverResponse = answer.innerHTML;
});

document.body.addEventListener("htmx:afterSwap", (event) => {
  const card = event.detail.elt.closest?.("[data-pair]") ?? current();
  if (!card || card !== current() || isOpen(card)) return;
  const all = cards();
  const next = all.slice(all.indexOf(card) + 1).find(isOpen);
  if (next) choose(next, { scroll: true });
});

/** Whether there is such a button. */
function press(button) {
  button?.click();
  return Boolean(button);
}

function step(by) {
  const all = cards();
  const next = all[all.indexOf(current()) + by];
  if (next) choose(next, { scroll: true });
}

function choose(card, { scroll }) {
  if (!card) return;
  current()?.removeAttribute("aria-current");
  card.setAttribute("aria-current", "true");
  if (!scroll) return;
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
}
