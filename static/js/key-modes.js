// What keys do where several texts are compared, an item is solved, or a dispute is settled; see keys.js.
import { isCriterion, MODES } from "./keys.js";

Object.assign(MODES, {
  /**
   * Several texts: a digit goes to the text of that number. Only straight after the letter of a criterion it rates
   * this criterion of the current text; any other key ends that.
   */
  comparing: {
    digit: (state, digit) => {
      const { text, aim } = state;
      if (aim) {
        if (!levelsOf(state, aim).includes(digit)) return [state, null];
        return [{ ...state, aim: "" }, { do: "rate", text, criterion: aim, level: digit }];
      }
      return state.texts.includes(digit) ? [{ ...state, text: digit }, { do: "go", text: digit }] : [state, null];
    },
    letter: (state, action) => {
      const { text } = state;
      if (isCriterion(state, action)) return [{ ...state, aim: action }, { do: "aim", text, criterion: action }];
      return [{ ...state, aim: "" }, { do: action, text }];
    },
    interrupted: (state) => ({ ...state, aim: "" }),
    rest: (state) => (state.aim ? [{ ...state, aim: "" }, { do: "aim", text: state.text, criterion: "" }] : null),
  },
  /** One item to solve: letters and digits choose an option, 0 says that nobody can. */
  solving: {
    digit: (state, digit) => choice(state, digit === "0" ? "unsure" : state.options[Number(digit) - 1]),
    typed: (state, letter) => {
      const option = letter.toUpperCase();
      return state.options.includes(option) ? choice(state, option) : null;
    },
    letter: (state, action) => [state, { do: action }],
  },
  /** A dispute: a digit takes the column of that number, Shift and a letter the next text of one row. */
  settling: {
    digit: (state, digit) => [state, state.columns.includes(digit) ? { do: "column", column: digit } : null],
    shifted: (state, letter) => [state, state.rows.includes(letter) ? { do: "row", row: letter } : null],
    letter: (state, action) => [state, { do: action }],
  },
});

function choice(state, option) {
  return [state, option ? { do: "choose", option } : null];
}

function levelsOf(state, criterion) {
  return state.criteria.find(({ name }) => name === criterion)?.levels ?? [];
}
