// Tibetan from Wylie letters (EWTS): a syllable is converted when the key after it is pressed.
const BASES = {
  k: "ཀ", kh: "ཁ", g: "ག", gh: "ག+ཧ", ng: "ང", c: "ཅ", ch: "ཆ", j: "ཇ", ny: "ཉ",
  t: "ཏ", th: "ཐ", d: "ད", dh: "ད+ཧ", n: "ན", p: "པ", ph: "ཕ", b: "བ", bh: "བ+ཧ", m: "མ",
  ts: "ཙ", tsh: "ཚ", dz: "ཛ", dzh: "ཛ+ཧ", w: "ཝ", zh: "ཞ", z: "ཟ", "'": "འ", y: "ཡ", r: "ར", l: "ལ",
  sh: "ཤ", s: "ས", h: "ཧ", T: "ཊ", Th: "ཋ", D: "ཌ", Dh: "ཌ+ཧ", N: "ཎ", Sh: "ཥ", f: "ཕ༹", v: "བ༹",
  "-t": "ཊ", "-th": "ཋ", "-d": "ཌ", "-dh": "ཌ+ཧ", "-n": "ཎ", "-sh": "ཥ",
};
/** Letters that keep their full form in a stack written with "+": on top, and under another. */
const FULL_ON_TOP = { R: "ཪ" };
const FULL_UNDER = { R: "ྼ", Y: "ྻ", W: "ྺ" };
const VOWELS = {
  a: "", i: "ི", u: "ུ", e: "ེ", o: "ོ", A: "ཱ", I: "ཱི", U: "ཱུ", ai: "ཻ", au: "ཽ", "-i": "ྀ", "-I": "ཱྀ",
};
const FINALS = { M: "ཾ", "~M": "ྃ", "~M`": "ྂ", H: "ཿ", "^": "༹" };
const TOKENS = new RegExp(
  "-th|-dh|-sh|-[tdn]|tsh|dzh|dz|ts|kh|gh|ng|ch|ny|th|dh|ph|bh|zh|sh|Th|Dh|Sh"
  + "|ai|au|-i|-I|~M`|~M|[kgcjtdnpbmwz'yrlshfvTDNRYWaiueoAIUMH^+.]", "y",
);

// What stands over and under a letter in Tibetan words; other stacks are written with "+".
const OVER = {
  r: "k g ng j ny t d n b m ts dz", l: "k g ng c j t d p b h", s: "k g ng ny t d n p b m ts",
};
const UNDER = {
  y: "k kh g p ph b m", r: "k kh g t th d n p ph b m s sh h", l: "k g b r s z",
  w: "k kh g c ny t d ts tsh zh z r l sh s h",
};
const STACKS = new Set([
  "grw", "phyw",
  ...pairs(OVER, (mark, base) => mark + base), ...pairs(UNDER, (mark, base) => base + mark),
]);
const BEFORE = {
  g: "c ny t d n ts zh z y sh s", d: "k g ng p b m", b: "k g c t d ts zh z sh s r l",
  m: "kh g ng ch j ny th d n tsh dz", "'": "kh g ch j th d ph b tsh dz",
};
const AFTER = new Set("g ng d n b m ' r l s".split(" "));
const MARKS = { " ": "་", "/": "།", "|": "༑", ";": "༏", ":": "༔", _: " ", "*": "༌" };

/** The Tibetan of one syllable, "" if it is none. */
export function syllable(text) {
  const tokens = cut(text);
  if (!tokens) return "";
  let tibetan = "";
  let position = 0;
  for (let first = true; position < tokens.length; first = false) {
    const from = position;
    while (position < tokens.length && isInStack(tokens[position])) position += 1;
    const letters = tokens.slice(from, position);
    let vowel = null;
    if (tokens[position] in VOWELS) vowel = tokens[position++];
    let finals = "";
    while (tokens[position] in FINALS) finals += FINALS[tokens[position++]];
    const part = vowel === null ? ending(letters, first) : opening(letters, first);
    if (part === null || (vowel === null && finals)) return "";
    tibetan += part + (vowel === null ? "" : VOWELS[vowel]) + finals;
  }
  return tibetan;
}

/** What a key after a syllable writes; null for a key that ends none. */
export function markOf(key) {
  return MARKS[key] ?? null;
}

function isInStack(token) {
  return token in BASES || token in FULL_UNDER || "+.".includes(token);
}

function cut(text) {
  const tokens = [];
  TOKENS.lastIndex = 0;
  while (TOKENS.lastIndex < text.length) {
    const match = TOKENS.exec(text);
    if (!match) return null;
    tokens.push(match[0]);
  }
  return tokens.length ? tokens : null;
}

/** The letters before a vowel: a stack, and before it in a word's first part a prefix. */
function opening(letters, isFirst) {
  if (!letters.length) return isFirst ? "ཨ" : null;
  if (letters.includes("+")) return explicit(letters);
  const dot = letters.indexOf(".");
  if (dot >= 0) return dot === 1 ? joined(isPrefix(letters[0], letters.slice(2)), letters[0], letters.slice(2)) : null;
  if (isStack(letters)) return stack(letters);
  const rest = letters.slice(1);
  return joined(isFirst ? isPrefix(letters[0], rest) : AFTER.has(letters[0]) && isStack(rest), letters[0], rest);
}

/** A letter and the stack after it, null unless they may stand together. */
function joined(mayStand, letter, rest) {
  return mayStand ? BASES[letter] + stack(rest) : null;
}

/** The letters after a vowel; a word without a vowel is none. */
function ending(letters, isFirst) {
  if (isFirst || letters.some((letter) => !AFTER.has(letter)) || letters.length > 2) return null;
  return letters.map((letter) => BASES[letter]).join("");
}

function explicit(letters) {
  const parts = letters.join(" ").split(" + ").map((part) => part.split(" "));
  if (parts.some((part, place) => place && part.length > 1) || parts[0].length > 2) return null;
  const before = parts[0].length === 2 ? BASES[parts[0][0]] : "";
  const [first, ...under] = [parts[0].at(-1), ...parts.slice(1).map((part) => part[0])];
  const isStacked = (first in BASES || first in FULL_ON_TOP)
    && under.every((letter) => letter in BASES || letter in FULL_UNDER);
  return isStacked && before !== undefined ? before + stack([first, ...under]) : null;
}

function isPrefix(letter, rest) {
  if (!(letter in BEFORE) || !isStack(rest)) return false;
  const isUnderAnother = rest.length > 1 && rest[0] in OVER && isStack(rest.slice(0, 2))
    && OVER[rest[0]].split(" ").includes(rest[1]);
  return isUnderAnother ? letter === "b" : BEFORE[letter].split(" ").includes(rest[0]);
}

/** One letter, a pair, or three of which both pairs stand one under the other. */
function isStack(letters) {
  if (!letters.length || letters.length > 3 || letters.some((letter) => !(letter in BASES))) return false;
  if (letters.length === 1) return true;
  if (STACKS.has(letters.join(""))) return true;
  return letters.length === 3 && letters[0] in OVER && STACKS.has(letters[0] + letters[1])
    && OVER[letters[0]].split(" ").includes(letters[1]) && STACKS.has(letters[1] + letters[2]);
}

/** The first letter in full, the others under it. */
function stack([first, ...others]) {
  const [top, ...under] = (FULL_ON_TOP[first] ?? BASES[first]).split("+");
  return top + under.map(lowered).join("") + others.map(below).join("");
}

function below(letter) {
  return FULL_UNDER[letter] ?? BASES[letter].split("+").map(lowered).join("");
}

function lowered(letter) {
  return String.fromCodePoint(letter.codePointAt(0) + 0x50) + letter.slice(1);
}

function pairs(table, join) {
  return Object.entries(table).flatMap(([mark, bases]) => bases.split(" ").map((base) => join(mark, base)));
}
