// Comparing texts and solving items by keyboard, and the active time.
import "./key-modes.js";
import { bindKeys, showKeymap, tellKeys } from "./keyboard.js";
import { fill } from "./texts.js";
import { ActiveTimer } from "./timer.js";

const form = document.querySelector("[data-answering]");
const undo = document.querySelector("[data-undo-notice]");
const isComparison = form?.dataset.answering === "comparison";
const texts = [...form?.querySelectorAll("[data-text]") ?? []];

if (form) {
  const seconds = form.elements.active_seconds;
  const timer = new ActiveTimer();
  timer.reset(Number(seconds.value) || 0);
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    seconds.value = timer.seconds;
    if (!isComplete()) event.preventDefault();
  });
}
if (isComparison) {
  // A click or Tab goes to a text as its number does.
  form.addEventListener("focusin", ({ target }) => {
    const text = target.closest("[data-text]");
    if (text) showCurrent(tellKeys({ text: text.dataset.text }));
  });
  form.addEventListener("change", ({ target }) => showCurrent(tellKeys({ rated: target.name })));
  showCurrent({ text: texts[0].dataset.text });
}
bindKeys(mode(), {
  go: ({ text }) => goTo(text),
  aim: (aim) => {
    showCurrent(aim);
    return Boolean(aim.criterion);
  },
  rate: ({ text, criterion, level }) => mark(`${criterion}_${text}`, level),
  approve: ({ text }) => isComparison && mark(`approve_${text}`, "yes"),
  reject: ({ text }) => isComparison && mark(`approve_${text}`, "no"),
  choose: ({ option }) => mark("choice", option),
  comment: () => form?.elements.comment.focus() ?? Boolean(form),
  skip: openSkip,
  undo: () => {
    undo?.requestSubmit();
    return Boolean(undo);
  },
  help: () => {
    if (isComparison) showCurrent(tellKeys({}));
    showKeymap();
  },
  submit: () => {
    form?.requestSubmit();
    return Boolean(form);
  },
});
if (form) form.dataset.ready = "";

function mode() {
  if (!form) return { kind: "plain" };
  if (!isComparison) {
    const options = [...form.querySelectorAll("[name=choice]")].map(({ value }) => value);
    return { kind: "solving", options: options.filter((value) => value !== "unsure") };
  }
  const criteria = [...texts[0].querySelectorAll("[data-criterion]")].map((group) => ({
    name: group.dataset.criterion,
    levels: [...group.querySelectorAll("input")].map(({ value }) => value),
  }));
  return { kind: "comparing", criteria, texts: texts.map((text) => text.dataset.text), text: texts[0].dataset.text };
}

function goTo(number) {
  const text = texts.find((each) => each.dataset.text === number);
  text.focus({ preventScroll: true });
  text.scrollIntoView({ block: "nearest" });
  showCurrent({ text: number });
}

/** Mark the text that keys are about, and the criterion that the next digit rates. */
function showCurrent({ text, criterion = "", aim = criterion }) {
  for (const each of texts) {
    const isCurrent = each.dataset.text === text;
    if (isCurrent) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
    for (const group of each.querySelectorAll("[data-criterion]"))
      group.toggleAttribute("data-active", isCurrent && group.dataset.criterion === aim);
  }
}

function mark(name, value) {
  const field = form.querySelector(`input[name="${name}"][value="${value}"]`);
  if (!field) return false;
  field.checked = true;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}

function openSkip() {
  const menu = document.querySelector("[data-skip]");
  if (!menu) return false;
  menu.open = true;
  menu.querySelector("select").focus();
  return true;
}

/** Whether everything is answered; else it says what is not, and nothing is sent. */
function isComplete() {
  const names = [...new Set([...form.querySelectorAll("input[required]")].map(({ name }) => name))];
  const open = names.filter((name) => !form.elements[name].value);
  const place = form.querySelector("[data-error]");
  const groups = open.map((name) => form.elements[name][0].closest("fieldset"));
  const places = groups.map((group) => {
    const number = group.closest("[data-text]")?.dataset.text ?? "";
    return `${fill(form.dataset.place ?? "", { number })}: ${legendOf(group)}`;
  });
  place.textContent = open.length ? fill(form.dataset.incomplete, { places: places.join(" · ") }) : "";
  place.hidden = !open.length;
  groups[0]?.scrollIntoView({ block: "nearest" });
  return !open.length;
}

/** Without the key that is shown beside it. */
function legendOf(group) {
  return group.querySelector("legend").firstChild.textContent.trim();
}
