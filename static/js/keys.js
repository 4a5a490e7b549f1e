// The keys of every page as one machine of pure functions: what is pressed turns one state into the next, and says
// what the page does. It reads no page and keeps nothing; keyboard.js gives it the keys and the page the actions.
import { read } from "./layouts.js";

/**
 * Pages by what digits do there; key-modes.js has those that the workbench does not need. Each function returns
 * [state, action]; an action of null lets the key through.
 */
export const MODES = {
  /** One item with its ratings: a digit rates the criterion that is aimed at and aims at the next. */
  judging: {
    digit: (state, digit) => {
      const { criteria } = state;
      const at = criteria.findIndex(({ name }) => name === state.aim);
      if (!criteria[at]?.levels.includes(digit)) return [state, null];
      const aim = criteria[(at + 1) % criteria.length].name;
      return [{ ...state, aim }, { do: "rate", criterion: criteria[at].name, level: digit, aim }];
    },
    letter: (state, action) => (isCriterion(state, action)
      ? [{ ...state, aim: action }, { do: "aim", criterion: action }] : [state, { do: action }]),
  },
  /** What is current is marked on the page itself. */
  plain: {
    digit: (state, digit) => [state, { do: "digit", digit }],
    letter: (state, action) => [state, { do: action }],
  },
};

/** The state of a page before the first key; `mode` has the name of a mode in `kind` and what its page shows. */
export function begin(mode = { kind: "plain" }, isOther = false) {
  return { aim: "", ...mode, isOther };
}

/**
 * `event` is what a keydown tells, with `isTyping` and `isDialogOpen`; `settings` are {areOn, letters}, with the
 * letter of each action. Returns [state, action]: {do, …} or null.
 */
export function press(before, event, { areOn, letters }) {
  const { isOther, letter, digit, isQuestionMark } = read(event, before.isOther);
  const state = { ...before, isOther };
  if (event.repeat) return [state, null];
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
    return [state, event.isDialogOpen ? null : { do: "submit" }];
  if (event.key === "Escape") return escape(state, event);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isTyping || event.isDialogOpen || !areOn)
    return [state, null];
  const mode = MODES[state.kind];
  if (isQuestionMark) return [mode.interrupted?.(state) ?? state, { do: "help" }];
  if (digit !== null) return mode.digit?.(state, String(digit)) ?? [state, null];
  if (event.shiftKey) return (letter && mode.shifted?.(state, letter.toUpperCase())) || [state, null];
  const typed = letter && mode.typed?.(state, letter);
  if (typed) return typed;
  const action = actionOf(event.key, letters) ?? actionOf(letter, letters);
  return (action ? mode.letter(state, action) : mode.rest?.(state)) ?? [state, null];
}

/** What happened by mouse or by the page itself: an `aim` at a criterion, another current `text`, `rated` by hand. */
export function tell(state, { aim, text, rated }) {
  if (aim !== undefined) return { ...state, aim };
  if (text !== undefined) return text === state.text ? state : { ...state, text, aim: "" };
  if (state.kind !== "judging") return { ...state, aim: "" };
  const place = state.criteria.findIndex(({ name }) => name === rated);
  return place < 0 ? state : { ...state, aim: (state.criteria[place + 1] ?? state.criteria[place]).name };
}

function escape(state, event) {
  if (event.isDialogOpen) return [state, null];
  if (event.isTyping) return [state, { do: "leave" }];
  return MODES[state.kind].rest?.(state) ?? [state, null];
}

function actionOf(key, letters) {
  return key ? letters.find(([, letter]) => letter === key.toLowerCase())?.[0] : undefined;
}

export function isCriterion(state, action) {
  return state.criteria.some(({ name }) => name === action);
}
