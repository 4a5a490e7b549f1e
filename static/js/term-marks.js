// Marks the terms of the glossary in the texts, without changing them: by highlights of the browser. None while the
// translation is read alone, since a mark in it speaks of the source.
const STATES = { used: "used", preferred: "used", allowed: "used", missing: "missing", forbidden: "forbidden" };

export function mark() {
  if (!globalThis.Highlight) return;
  const found = { used: [], missing: [], forbidden: [] };
  const place = document.querySelector("[data-term-hits]");
  const hits = place && !place.closest("[data-blind]") ? place.dataset.termHits : "[]";
  for (const [side, row, text, before, state] of JSON.parse(hits)) {
    const range = rangeOf(shown(side, row), text, before);
    if (range) found[STATES[state]].push(range);
  }
  for (const [state, ranges] of Object.entries(found)) CSS.highlights.set(`term-${state}`, new Highlight(...ranges));
}

/** The element with the text of one side in one row: the question is row 0. */
function shown(side, row) {
  const body = document.querySelector("[data-part=item-texts], .rows, [data-matrix] tbody");
  if (side === "source") return body?.querySelectorAll(".source:not(.muted)")[row];
  const target = body?.querySelectorAll(".target, [data-text]")[row];
  return target?.querySelector(".as-is") ?? target?.querySelector(".target-text") ?? null;
}

/** The place of `text` that has `before` others of the same letters before it. */
function rangeOf(element, text, before) {
  if (!element) return null;
  const nodes = textNodes(element);
  const whole = nodes.map((node) => node.data).join("");
  let at = whole.indexOf(text);
  for (let n = 0; n < before && at >= 0; n += 1) at = whole.indexOf(text, at + 1);
  if (at < 0) return null;
  const range = new Range();
  range.setStart(...point(nodes, at));
  range.setEnd(...point(nodes, at + text.length));
  return range;
}

/** The texts as people read them; formulas are left out. */
function textNodes(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest("math, [hidden]") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

function point(nodes, offset) {
  let left = offset;
  for (const node of nodes) {
    if (left <= node.length) return [node, left];
    left -= node.length;
  }
  return [nodes.at(-1), nodes.at(-1).length];
}
