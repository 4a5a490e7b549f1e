// Choosing texts by keyboard: one item is current, a digit chooses a text of it, U undoes the latest choice.
import { bindKeys } from "./keyboard.js";

const cards = () => [...document.querySelectorAll("[data-choice]")];
const current = () => document.querySelector("[data-choice][aria-current=true]");

// The answer to a choice is the page at its item.
take(document.querySelector(`[data-choice]${location.hash || ":not(*)"}`) ?? cards()[0]);

bindKeys({ kind: "plain" }, {
  next: () => step(1),
  previous: () => step(-1),
  undo: () => press(document.querySelector("[data-undo] button")),
  digit: ({ digit }) => press(current()?.querySelector(`[data-side="${digit}"]`)),
});

document.addEventListener("click", (event) => {
  const card = event.target.closest("[data-choice]");
  if (card) take(card);
});

/** Whether there is such a button. */
function press(button) {
  button?.click();
  return Boolean(button);
}

function step(by) {
  const all = cards();
  const next = all[all.indexOf(current()) + by];
  if (!next) return;
  take(next);
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function take(card) {
  if (!card) return;
  current()?.removeAttribute("aria-current");
  card.setAttribute("aria-current", "true");
}
