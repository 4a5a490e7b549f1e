// The difference of two texts by grapheme, so that a Tibetan stack or a Lao tone mark is never split.
// Memory goes with the square of it: two unlike texts are told apart without saying where.
const MAX_EDITS = 600;

export function graphemes(text, language) {
  return [...new Intl.Segmenter(language, { granularity: "grapheme" }).segment(text)].map((part) => part.segment);
}

/** [[op, text], …] with op "same", "del" or "ins". */
export function diff(before, after, language) {
  const a = graphemes(before.normalize("NFC"), language);
  const b = graphemes(after.normalize("NFC"), language);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = edits(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const tail = a.slice(a.length - end).map((part) => ["same", part]);
  return tidy([...a.slice(0, start).map((part) => ["same", part]), ...middle, ...tail]);
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

/** Myers, "An O(ND) difference algorithm" (1986): the greedy form, with the trace kept to walk back. */
function edits(a, b) {
  const most = Math.min(a.length + b.length, MAX_EDITS);
  const trace = [];
  let best = new Map([[1, 0]]);
  for (let d = 0; d <= most; d += 1) {
    trace.push(new Map(best));
    for (let k = -d; k <= d; k += 2) {
      let x = goesDown(best, k, d) ? best.get(k + 1) : best.get(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      best.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a, b);
    }
  }
  return [...a.map((part) => ["del", part]), ...b.map((part) => ["ins", part])];
}

function goesDown(best, k, d) {
  return k === -d || (k !== d && (best.get(k - 1) ?? -1) < (best.get(k + 1) ?? -1));
}

function walkBack(trace, a, b) {
  const found = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const best = trace[d];
    const k = x - y;
    const from = goesDown(best, k, d) ? k + 1 : k - 1;
    const fromX = d ? best.get(from) : 0;
    const fromY = d ? fromX - from : 0;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      found.push(["same", a[x]]);
    }
    if (d && x === fromX) found.push(["ins", b[--y]]);
    else if (d) found.push(["del", a[--x]]);
  }
  return found.reverse();
}

/** Join runs; a lone grapheme between two changes joins them, and removals come before additions. */
function tidy(parts) {
  const runs = [];
  let removed = [];
  let added = [];
  let waiting = [];
  const flush = () => {
    if (removed.length) runs.push(["del", removed.join("")]);
    if (added.length) runs.push(["ins", added.join("")]);
    removed = [];
    added = [];
  };
  for (const [op, part] of parts) {
    if (op === "same") {
      waiting.push(part);
      continue;
    }
    if (waiting.length === 1 && (removed.length || added.length)) {
      removed.push(...waiting);
      added.push(...waiting);
    } else if (waiting.length) {
      flush();
      runs.push(["same", waiting.join("")]);
    }
    waiting = [];
    (op === "del" ? removed : added).push(part);
  }
  flush();
  if (waiting.length) runs.push(["same", waiting.join("")]);
  return runs;
}
