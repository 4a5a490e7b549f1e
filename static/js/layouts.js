// Which letter, digit or sign a key stands for under any keyboard layout: the printed Latin letter where there is
// one, and the place of the key only where the layout writes another script (Tibetan, Mongolian, Chinese, Lao …).
const LATIN = /^\p{Script=Latin}$/u;
const OTHER_SCRIPT = /^(?=.*[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]).+$/u;
const DIGIT = /^\p{Nd}$/u;
/** Whether the last letter that was pressed was of another script: signs and spaces belong to all of them. */
let isOther = false;

/** The digit that was pressed, as printed in any script or by its place in the row; null for another key. */
export function digitOf(event) {
  const typed = typedBy(event);
  if (DIGIT.test(typed)) return valueOf(typed);
  const place = isElsewhere(typed) && !event.shiftKey && /^Digit([0-9])$/.exec(event.code);
  return place ? Number(place[1]) : null;
}

/** The letter that was pressed, in lower case: Latin as printed, else by the key's place; "" for another key. */
export function letterOf(event) {
  const typed = typedBy(event);
  if (LATIN.test(typed)) return typed.toLowerCase();
  const place = isElsewhere(typed) && /^Key([A-Z])$/.exec(event.code);
  return place ? place[1].toLowerCase() : "";
}

export function isQuestionMark(event) {
  const typed = typedBy(event);
  return typed === "?" || (isElsewhere(typed) && event.shiftKey && event.code === "Slash");
}

/** What the key writes; "" for keys with a name (Enter, F1, Dead) and while AltGraph is held. */
function typedBy(event) {
  if (!event.key || event.getModifierState?.("AltGraph") || /^[A-Z][A-Za-z0-9]+$/.test(event.key)) return "";
  const typed = event.key.normalize("NFKC"); // wide letters and digits of Chinese input
  if (LATIN.test(typed)) isOther = false;
  else if (OTHER_SCRIPT.test(typed)) isOther = true;
  return typed;
}

function isElsewhere(typed) {
  return typed !== "" && (OTHER_SCRIPT.test(typed) || (isOther && !LATIN.test(typed)));
}

/** The digits of a script stand in one row of ten, zero first. */
function valueOf(digit) {
  const code = digit.codePointAt(0);
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}
