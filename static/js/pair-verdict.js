// Judging a pair of an arena by keyboard: a digit chooses the verdict of that number.
import { bindKeys } from "./keyboard.js";

const form = document.querySelector("[data-pair-verdict]");

bindKeys({ kind: "plain" }, {
  digit: ({ digit }) => {
    const verdict = form?.querySelector(`[data-digit="${digit}"]`);
    verdict?.click();
    verdict?.focus();
    return Boolean(verdict);
  },
  reason: () => form?.elements.reason.focus() ?? Boolean(form),
  "take-back": () => {
    const button = document.querySelector("[data-take-back] button");
    button?.click();
    return Boolean(button);
  },
  submit: () => {
    form?.requestSubmit();
    return Boolean(form);
  },
});
