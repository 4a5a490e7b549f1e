// The answer of a response by keyboard: a letter or its digit (1 is A), and 0 for no answer.
import { isComposing, isTyping } from "./keyboard.js";
import { settings } from "./shortcuts.js";

document.addEventListener("keydown", (event) => {
  if (isComposing(event) || isTyping(event.target) || event.repeat || !settings().areOn) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const pressed = event.key.toUpperCase();
  const answer = /^[1-9]$/.test(pressed) ? "ABCDEFGHI"[pressed - 1] : pressed;
  if (!/^[A-J0]$/.test(answer)) return;
  const button = document.querySelector(`[data-extraction] [data-answer="${answer}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
});
