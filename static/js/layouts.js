// Which letter, digit or sign a key stands for under any keyboard layout: the printed Latin letter where there is
// one, and the place of the key only where the layout writes another script (Tibetan, Mongolian, Chinese, Lao …).
const LATIN = /^\p{Script=Latin}$/u;
const OTHER_SCRIPT = /^(?=.*[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]).+$/u;
const DIGIT = /^\p{Nd}$/u;

/**
 * What the key of `event` stands for: {letter, digit, isQuestionMark}, with "" and null for another key. `wasOther`
 * tells whether the last letter was of another script, and `isOther` of the answer whether it is now: signs and
 * spaces belong to all scripts.
 */
export function read(event, wasOther) {
  const typed = typedBy(event);
  const isOther = LATIN.test(typed) ? false : wasOther || OTHER_SCRIPT.test(typed);
  const isElsewhere = typed !== "" && isOther;
  return {
    isOther,
    digit: digitOf(event, typed, isElsewhere),
    letter: letterOf(event, typed, isElsewhere),
    isQuestionMark: typed === "?" || (isElsewhere && event.shiftKey && event.code === "Slash"),
  };
}

/** The digit as printed in any script, or by its place in the row. */
function digitOf(event, typed, isElsewhere) {
  if (DIGIT.test(typed)) return valueOf(typed);
  const place = isElsewhere && !event.shiftKey && /^Digit([0-9])$/.exec(event.code);
  return place ? Number(place[1]) : null;
}

/** In lower case: Latin as printed, else by the key's place. */
function letterOf(event, typed, isElsewhere) {
  if (LATIN.test(typed)) return typed.toLowerCase();
  const place = isElsewhere && /^Key([A-Z])$/.exec(event.code);
  return place ? place[1].toLowerCase() : "";
}

/** What the key writes; "" for keys with a name (Enter, F1, Dead) and while AltGraph is held. */
function typedBy(event) {
  if (!event.key || event.isAltGraph || /^[A-Z][A-Za-z0-9]+$/.test(event.key)) return "";
  return event.key.normalize("NFKC"); // wide letters and digits of Chinese input
}

/** The digits of a script stand in one row of ten, zero first. */
function valueOf(digit) {
  const code = digit.codePointAt(0);
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}
