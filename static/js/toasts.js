// Short messages in the corner; `action` is {label, run}.
import { text } from "./texts.js";

/** So many messages that go by themselves are shown at once: more would cover the item. On a low page it is one. */
const MOST = 3;
const LOW = 500;

export function toast(message, { tone = "", action = null, seconds = 6 } = {}) {
  const box = document.createElement("div");
  box.className = `toast ${tone}`;
  const words = document.createElement("span");
  words.textContent = message;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = action ? action.label : text("dismiss");
  button.addEventListener("click", () => {
    box.remove();
    action?.run();
  });
  box.append(words, button);
  const place = document.getElementById("toasts");
  place?.append(box);
  box.toggleAttribute("data-passing", seconds > 0);
  if (seconds) setTimeout(() => box.remove(), seconds * 1000);
  const most = window.innerHeight < LOW ? 1 : MOST;
  for (const old of [...place?.querySelectorAll("[data-passing]") ?? []].slice(0, -most)) old.remove();
  return box;
}
