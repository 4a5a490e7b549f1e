// Short messages in the corner; `action` is {label, run}.
import { text } from "./texts.js";

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
  document.getElementById("toasts")?.append(box);
  if (seconds) setTimeout(() => box.remove(), seconds * 1000);
  return box;
}
