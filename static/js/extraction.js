// The answer of a response by keyboard, as of an item to solve: a letter or its digit (1 is A), and 0 for no answer.
import "./key-modes.js";
import { bindKeys, hold } from "./keyboard.js";

const buttons = [...document.querySelectorAll("[data-extraction] [data-answer]")];
const options = buttons.map(({ dataset }) => dataset.answer).filter((answer) => answer !== "unsure");

bindKeys({ kind: "solving", options }, {
  choose: ({ option }) => {
    const button = buttons.find(({ dataset }) => dataset.answer === option);
    if (!button) return false;
    hold(); // what is pressed from now on is not about this response
    button.click();
    return true;
  },
});
