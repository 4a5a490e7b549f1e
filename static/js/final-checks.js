// What the checks say of the final text of a dispute while it is typed, how to repair it, and which numbers to
// confirm.
import { TextMarks } from "./marks.js";

const WAIT_MS = 600;
const marks = new Map();
let timer = 0;
let asked = "";
/** The texts of the repair that is offered, for the texts that were `asked` about; null if there is none. */
let repaired = null;

export function schedule(form, areas) {
  clearTimeout(timer);
  for (const mark of marks.values()) mark.clear();
  timer = setTimeout(() => check(form, areas), WAIT_MS);
}

/** The repaired texts in the order of the areas, or null where none is certain. */
export async function repairOf(form, areas) {
  clearTimeout(timer);
  if (asked !== bodyOf(form, areas).toString()) await check(form, areas);
  return repaired;
}

function bodyOf(form, areas) {
  const body = new URLSearchParams({ csrfmiddlewaretoken: form.elements.csrfmiddlewaretoken.value });
  for (const area of areas) body.set(area.name, area.value);
  return body;
}

async function check(form, areas) {
  const body = bodyOf(form, areas);
  asked = body.toString();
  repaired = null;
  try {
    const headers = { Accept: "application/json" };
    const answer = await fetch(form.dataset.checkUrl, { method: "POST", body, headers });
    if (answer.ok && asked === body.toString()) show(await answer.json(), form, areas);
  } catch {
    asked = ""; // Without a line the server says it when the decision arrives.
  }
}

function show({ findings, numbers, repair }, form, areas) {
  offer(repair);
  const place = document.querySelector("[data-final-checks]");
  // What is wrong with the current text stands beside it already, and nobody changed its numbers here.
  const isChanged = areas.some((area) => area.value !== area.dataset.original);
  const changed = isChanged ? numbers : [];
  place.querySelector(".findings").replaceChildren(
    ...(isChanged ? findings : []).map(({ severity, message }) => finding(severity, message)),
    ...changed.map(({ place: where, message }) => finding("warning", `${where}: ${message}`)),
  );
  place.querySelector(".check").hidden = !changed.length;
  if (!changed.length) form.elements.numbers_confirmed.checked = false;
  const spans = findings.flatMap(({ severity, spans: found }) =>
    found.map(([field, start, end]) => ({ field, start, end, severity })));
  for (const area of areas) markOf(area).show(spans.filter(({ field }) => field === area.dataset.field));
}

function offer(repair) {
  repaired = repair && [repair.question, ...repair.options];
  const box = document.querySelector("[data-final-repair]");
  box.hidden = !repair;
  box.querySelector("[data-repair-label]").textContent = repair?.label ?? "";
}

function markOf(area) {
  if (!marks.has(area)) {
    const cell = area.closest("td");
    const row = { area, cell, shown: document.createElement("div"), original: "" };
    marks.set(area, new TextMarks(row));
  }
  return marks.get(area);
}

function finding(severity, words) {
  const item = document.createElement("li");
  const text = document.createElement("span");
  item.className = `finding ${severity}`;
  text.textContent = words;
  item.append(text);
  return item;
}
