// Other translations of the item, loaded when the reviewer opens Revise; choosing one fills the texts.
import { ask } from "./outbox.js";

export async function offer(form, editing) {
  const box = form.querySelector("[data-proposals]");
  const seat = form.dataset.assignment;
  if (!box || box.dataset.seat === seat || "blind" in form.dataset || !navigator.onLine) return;
  Object.assign(box, { hidden: true }).replaceChildren();
  box.dataset.seat = seat;
  const result = await ask(box.dataset.url, new URLSearchParams({ assignment: seat }), []);
  if (form.dataset.assignment !== seat) return;
  if (result.kind !== "taken") delete box.dataset.seat; // asked again with the next Revise
  else if (result.data.proposals.length) show(box, result.data, editing);
}

function show(box, { title, use, proposals }, editing) {
  const list = element("ul", { className: "plain" });
  for (const texts of proposals) list.append(proposal(texts, use, editing));
  box.replaceChildren(element("summary", { textContent: `${title} (${proposals.length})` }), list);
  box.hidden = false;
}

function proposal(texts, use, editing) {
  const rows = editing.rows.filter(({ area }) => texts[area.name]);
  const button = element("button", { type: "button", className: "btn small", textContent: use });
  button.addEventListener("click", () => fillIn(rows, texts));
  const item = element("li");
  const shown = ({ area }) => element("p", { textContent: texts[area.name], lang: area.lang, dir: area.dir });
  item.append(...rows.map(shown), button);
  return item;
}

function fillIn(rows, texts) {
  for (const { area } of rows) {
    area.value = texts[area.name];
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
  rows[0]?.edit();
}

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
