// The difference of two texts by the syllables and words of their script, as annotation/diffs.py finds it:
// tests/annotation/diff_cases.json holds both to one result.
const UNITS = new RegExp(
  "[\\u0F40-\\u0FBC]+"
    + "|[\\u0EC0-\\u0EC4]?[\\u0E81-\\u0EAE\\u0EDC-\\u0EDF][\\u0EB0-\\u0EBD\\u0EC6\\u0EC8-\\u0ECE]*"
    + "|\\p{Script=Mongolian}[\\p{Script=Mongolian}\\u180B-\\u180F\\u200D\\u202F]*"
    + "|\\p{Nd}+(?:[.,]\\p{Nd}+)*"
    + "|[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Arabic}]"
    + "[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Arabic}\\p{M}\\u200C\\u200D]*"
    + "|[\\s\\S][\\p{M}\\u200C\\u200D]*",
  "gu",
);
const LETTER = /[\p{L}\p{N}]/u;
const MOST_CELLS = 1_000_000;

/** [[op, text], …] with op "same", "del" or "ins". */
export function diff(before, after) {
  const old = before.normalize("NFC").match(UNITS) ?? [];
  const young = after.normalize("NFC").match(UNITS) ?? [];
  let runs = joined(joined(runsOf(old, young), isMark), isChance);
  const kept = runs.reduce((sum, run) => sum + (run.isSame ? letters(run.old) : 0), 0);
  const most = Math.max(letters(old), letters(young));
  if (most >= 4 && 10 * kept < 3 * most) runs = [{ isSame: false, old, young }];
  return runs.flatMap((run) => (run.isSame ? [["same", run.old.join("")]] : changed(run)));
}

/** Nodes for `segments`: text, <ins> and <del>. */
export function diffNodes(segments) {
  return segments.map(([op, text]) => {
    if (op === "same") return document.createTextNode(text);
    const element = document.createElement(op);
    element.textContent = text;
    return element;
  });
}

function changed({ old, young }) {
  return [["del", old.join("")], ["ins", young.join("")]].filter(([, text]) => text);
}

/** What stays and what changes by turns. */
function runsOf(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  const rest = Math.min(before.length, after.length) - start;
  let end = 0;
  while (end < rest && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const old = before.slice(start, before.length - end);
  const young = after.slice(start, after.length - end);
  const runs = [];
  const same = (units) => units.length && runs.push({ isSame: true, old: units, young: units });
  same(before.slice(0, start));
  let [i, j] = [0, 0];
  for (const [first, second, length] of old.length * young.length > MOST_CELLS ? [] : matches(old, young)) {
    runs.push({ isSame: false, old: old.slice(i, first), young: young.slice(j, second) });
    same(old.slice(first, first + length));
    [i, j] = [first + length, second + length];
  }
  if (i < old.length || j < young.length) runs.push({ isSame: false, old: old.slice(i), young: young.slice(j) });
  same(before.slice(before.length - end));
  return runs;
}

/** [[place in a, place in b, length], …] of a longest common subsequence, the one that rapidfuzz takes. */
function matches(a, b) {
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1)
      longest[i * width + j] = a[i - 1] === b[j - 1]
        ? longest[(i - 1) * width + j - 1] + 1
        : Math.max(longest[(i - 1) * width + j], longest[i * width + j - 1]);
  const found = [];
  let [i, j] = [a.length, b.length];
  while (i && j) {
    if (longest[i * width + j] === longest[(i - 1) * width + j]) i -= 1;
    else if (longest[i * width + j] === longest[i * width + j - 1]) j -= 1;
    else {
      i -= 1;
      j -= 1;
      const last = found.at(-1);
      if (last && last[0] === i + 1 && last[1] === j + 1) {
        last[0] = i;
        last[1] = j;
        last[2] += 1;
      } else found.push([i, j, 1]);
    }
  }
  return found.reverse();
}

/** Join two changes with what stays between them, where that is a part of the change. */
function joined(runs, isPart) {
  const found = [];
  for (let place = 0; place < runs.length; place += 1) {
    const [run, after, last] = [runs[place], runs[place + 1], found.at(-1)];
    if (last && !last.isSame && run.isSame && after && isPart(last, run, after)) {
      last.old = [...last.old, ...run.old, ...after.old];
      last.young = [...last.young, ...run.young, ...after.young];
      place += 1;
    } else found.push({ ...run });
  }
  return found;
}

/** Nothing stays but a tsheg, a space or the like. */
function isMark(before, same) {
  return letters(same.old) === 0;
}

/** A single syllable or word stays between two longer changes. */
function isChance(before, same, after) {
  return letters(same.old) === 1 && Math.min(size(before), size(after)) >= 2;
}

function size({ old, young }) {
  return Math.max(letters(old), letters(young));
}

function letters(units) {
  return units.filter((unit) => LETTER.test(unit)).length;
}
