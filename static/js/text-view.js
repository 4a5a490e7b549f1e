// How item texts are shown: their size and the switches of the text tools; kept on this device. What marks
// invisible characters and what helps to type are loaded when somebody first wants them.

const KEY = "lotsawa.text";
const SIZES = [85, 100, 115, 130, 150, 175, 200];
const root = document.documentElement;
let invisibles = null;

show();
document.addEventListener("click", (event) => {
  const step = event.target.closest("[data-text-size]");
  const toggle = event.target.closest("[data-text-toggle]");
  if (step) resize(Number(step.dataset.textSize));
  if (toggle) root.toggleAttribute(`data-${toggle.dataset.textToggle}`);
  if (step || toggle) keep();
});
document.addEventListener("focusin", helpToType);

function helpToType({ target }) {
  if (!target.matches("textarea.target-edit")) return;
  document.removeEventListener("focusin", helpToType);
  const bar = document.querySelector("template[data-insert-bar]")?.content;
  const scripts = [bar && import("./insert-bar.js"), bar?.querySelector("[data-wylie]") && import("./wylie-typing.js")];
  Promise.all(scripts).catch(() => document.addEventListener("focusin", helpToType));
}

function resize(step) {
  const next = SIZES[SIZES.indexOf(size()) + step];
  if (next) root.dataset.textSize = next;
}

function size() {
  const chosen = Number(root.dataset.textSize);
  return SIZES.includes(chosen) ? chosen : 100;
}

function keep() {
  const on = [...document.querySelectorAll("[data-text-toggle]")]
    .map((button) => button.dataset.textToggle)
    .filter((name) => root.hasAttribute(`data-${name}`));
  try {
    localStorage.setItem(KEY, JSON.stringify({ size: size(), on }));
  } catch {
    // Storage is off: the choice lasts as long as the page.
  }
  show();
}

function show() {
  if (root.hasAttribute("data-marks")) invisibles ??= import("./invisibles.js");
  invisibles?.then(({ showInvisibles }) => showInvisibles(), () => (invisibles = null));
  for (const button of document.querySelectorAll("[data-text-toggle]"))
    button.setAttribute("aria-pressed", String(root.hasAttribute(`data-${button.dataset.textToggle}`)));
  for (const place of document.querySelectorAll("[data-text-size-shown]")) place.textContent = `${size()} %`;
  for (const button of document.querySelectorAll("[data-text-size]"))
    button.disabled = !SIZES[SIZES.indexOf(size()) + Number(button.dataset.textSize)];
}
