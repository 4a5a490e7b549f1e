// Answering by keyboard, and the active time. Keys are physical, so that they work under any layout.
import { ActiveTimer } from "./timer.js";
import { isComposing, isTyping } from "./keyboard.js";

const form = document.querySelector("[data-answering]");
const undo = document.querySelector("[data-undo-notice]");
let text = null;

if (form) {
  const seconds = form.elements.active_seconds;
  const timer = new ActiveTimer();
  timer.reset(Number(seconds.value) || 0);
  form.addEventListener("submit", () => {
    seconds.value = timer.seconds;
  });
  form.addEventListener("focusin", (event) => {
    text = event.target.closest("[data-text]") ?? text;
  });
  form.dataset.ready = "";
}

document.addEventListener("keydown", (event) => {
  if (isComposing(event) || event.defaultPrevented) return;
  if (form && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
  if (event.code === "KeyU" && undo) {
    event.preventDefault();
    undo.requestSubmit();
  } else if (form && press(event.code)) event.preventDefault();
});

function press(code) {
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(code)?.[1];
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (form.dataset.answering === "solving") return solve(letter, digit);
  return digit ? rateOrGo(Number(digit)) : letter ? compare(letter) : false;
}

function solve(letter, digit) {
  const choices = [...form.querySelectorAll("input[name=choice]")];
  const wanted = digit === "0"
    ? choices.at(-1)
    : digit
      ? choices.slice(0, -1)[Number(digit) - 1]
      : choices.find((each) => each.value === letter);
  return choose(wanted);
}

// A, R: approve or not. D, C: go to a rating, whose number is pressed next. Outside a rating a number goes to a text.
function compare(letter) {
  if (!text) return false;
  if (letter === "A" || letter === "R")
    return choose(text.querySelector(`.approve input[value=${letter === "A" ? "yes" : "no"}]`));
  const rating = [...text.querySelectorAll("[data-rating]")].find(
    (each) => each.querySelector("kbd")?.textContent.trim().toUpperCase() === letter,
  );
  const first = rating?.querySelector("input:checked") ?? rating?.querySelector("input");
  first?.focus();
  return Boolean(first);
}

function rateOrGo(number) {
  const rating = document.activeElement?.closest?.("[data-rating]");
  if (rating) return choose(rating.querySelector(`input[value="${number}"]`));
  const wanted = form.querySelector(`[data-text="${number}"]`);
  if (!wanted) return false;
  text = wanted;
  wanted.querySelector(".approve input")?.focus();
  wanted.scrollIntoView({ block: "nearest" });
  return true;
}

function choose(input) {
  if (!input) return false;
  input.checked = true;
  input.focus();
  return true;
}
