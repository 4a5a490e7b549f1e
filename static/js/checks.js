// Checks of the text that is being typed: the server reads it, this shows what it says beside and in the
// text, offers its repair, and asks before a judgement goes that the server would refuse.
import { TextMarks } from "./marks.js";
import { openSheet } from "./judgement-sheet.js";
import { ask } from "./outbox.js";

const WAIT_MS = 500;
const PATIENCE_MS = 2500;

export class Checks {
  constructor(form, editing) {
    this.form = form;
    this.editing = editing;
    this.seat = form.dataset.assignment;
    this.timer = 0;
    this.asked = null; // the texts of the last question, and the promise of its answer
    this.answer = null;
    this.confirm = form.querySelector(".confirm-numbers");
    this.cells = new Map(editing.rows.map((row) => [nameOf(row), new Cell(row)]));
    this.repairBox = form.querySelector("[data-repair]");
    this.repairLabel = this.repairBox.querySelector("[data-repair-label]");
    this.served = { label: this.repairLabel.textContent, texts: this.repairBox.dataset.texts };
    this.repairBox.querySelector("button").addEventListener("click", () => this.repair());
    this.refresh();
  }

  /** Ask soon, once the typing rests. */
  schedule() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), WAIT_MS);
    for (const cell of this.cells.values()) cell.marks.keepToText();
  }

  /** The answer for the texts as they are now: {findings, numbers, repair}, or null if there is none. */
  async check() {
    clearTimeout(this.timer);
    if (this.isBlind || !this.form.isConnected) return null; // the item is gone: it was skipped
    const { key } = this;
    if (this.asked?.key !== key || this.asked.isLost) {
      const asked = { key };
      this.asked = asked;
      asked.promise = this.fetch().then((answer) => this.take(asked, answer));
    }
    return this.asked.promise;
  }

  /** Whether the judgement may go; else it says what is missing. */
  async mayGo() {
    if (this.editing.isOpen) return this.mayGoAsRevision();
    const isApproval = this.form.elements.verdict.value === "approve";
    if (!isApproval || this.isSure || !this.errors().length) return true;
    if (this.ask.hidden) return this.askToApprove();
    this.ask.hidden = true; // asked, and submitted again
    return true;
  }

  refresh() {
    const { isOpen } = this.editing;
    if (this.form.elements.verdict.value !== "approve") this.ask.hidden = true;
    for (const cell of this.cells.values()) {
      if (this.isBlind) cell.hideMarks();
      else cell.show(isOpen && this.answer ? this.answer.findings : null, isOpen);
    }
    this.showNumbers();
    this.showRepair();
  }

  /** Put the repaired text into the editors; it can be changed like any other. */
  repair() {
    if (this.repairBox.hidden || this.isBlind) return false;
    const texts = JSON.parse(this.repairBox.dataset.texts);
    const revise = [...this.form.elements.verdict].find((radio) => radio.value === "revise");
    this.editing.rows.forEach((row, index) => {
      row.area.value = texts[index] ?? row.area.value;
      row.area.dispatchEvent(new Event("input", { bubbles: true }));
    });
    revise.checked = true;
    revise.dispatchEvent(new Event("change", { bubbles: true }));
    document.getElementById("main").focus({ preventScroll: true }); // where the next key rates
    this.check();
    return true;
  }

  get key() {
    return JSON.stringify(this.editing.rows.map((row) => row.area.value));
  }

  /** What the checks say speaks of the source, which is not shown yet. */
  get isBlind() {
    return "blind" in this.form.dataset;
  }

  get isGone() {
    return this.seat !== this.form.dataset.assignment;
  }

  async fetch() {
    const body = new URLSearchParams({ assignment: this.seat });
    for (const row of this.editing.rows) body.set(row.area.name, row.area.value);
    const late = new Promise((resolve) => { setTimeout(resolve, PATIENCE_MS, { kind: "late" }); });
    const result = await Promise.race([ask(this.form.dataset.checkUrl, body, []), late]);
    return result.kind === "taken" ? result.data : null;
  }

  take(asked, answer) {
    asked.isLost = !answer;
    if (asked !== this.asked || this.isGone) return answer;
    const before = this.answer?.numbers;
    this.answer = answer;
    // A confirmation is of the changes that were shown beside it.
    if (before && answer && JSON.stringify(before) !== JSON.stringify(answer.numbers)) this.box.checked = false;
    this.refresh();
    return answer;
  }

  get box() {
    return this.form.elements.numbers_confirmed;
  }

  async mayGoAsRevision() {
    const answer = await this.check();
    if (this.isGone || !answer?.numbers.length || this.box.checked) return !this.isGone;
    openSheet(this.form);
    this.complain(this.form.dataset.confirmNumbers);
    this.box.focus();
    return false;
  }

  complain(words) {
    const place = this.form.querySelector('[data-error="verdict"]');
    place.textContent = words;
    place.hidden = !words;
    this.form.querySelector("#f-verdict").scrollIntoView({ block: "nearest" });
  }

  errors() {
    return [...this.cells.values()].flatMap((cell) => cell.servedErrors);
  }

  get ask() {
    return this.form.querySelector("[data-ask-approve]");
  }

  askToApprove() {
    const place = this.ask;
    const [list] = place.getElementsByTagName("ul");
    list.replaceChildren(...this.errors().map((words) => element("li", words)));
    place.hidden = false;
    openSheet(this.form);
    const [again, sure] = place.querySelectorAll("button");
    const close = () => {
      place.hidden = true;
      this.form.elements.verdict[0].focus();
    };
    again.onclick = close;
    sure.onclick = () => {
      place.hidden = true;
      this.isSure = true;
      this.form.requestSubmit(this.form.querySelector("[data-submit]"));
    };
    place.onkeydown = (event) => {
      if (event.key === "Escape") close();
    };
    place.scrollIntoView({ block: "nearest" });
    again.focus();
    return false;
  }

  /** The box to confirm is there where numbers differ, and where nobody knows because the server is away. */
  showNumbers() {
    const isUnknown = Boolean(this.asked?.isLost);
    const numbers = this.answer?.numbers ?? [];
    const isNeeded = this.editing.isChanged && (isUnknown || numbers.length > 0);
    this.confirm.toggleAttribute("data-needed", isNeeded);
    const place = this.form.querySelector("[data-numbers]");
    const words = isUnknown ? [this.form.dataset.numbersUnknown]
      : numbers.map(({ place: where, message }) => `${where}: ${message}`);
    place.replaceChildren(...words.map((line) => element("li", line)));
    place.hidden = !isNeeded || !this.editing.isOpen;
    if (!isNeeded && this.answer) this.box.checked = false;
  }

  showRepair() {
    const isTyped = this.editing.isOpen && (this.answer || this.editing.isChanged);
    const repair = isTyped ? shownRepair(this.answer?.repair) : this.served;
    this.repairBox.hidden = !repair.texts;
    this.repairLabel.textContent = repair.label;
    this.repairBox.dataset.texts = repair.texts;
  }
}

/** The findings of one field: as the page came with them, or as the server says of the text that is typed. */
class Cell {
  constructor(row) {
    this.row = row;
    this.name = nameOf(row);
    this.list = row.cell.querySelector(".findings") ?? row.cell.appendChild(emptyList());
    this.served = [...this.list.children];
    // A cause in several fields is told at the first of them and marked in all.
    const told = row.cell.parentElement.querySelectorAll("[data-spans]");
    this.servedSpans = [...told].flatMap((item) => spansOf(item.dataset.spans));
    this.servedText = row.original;
    this.marks = new TextMarks(row);
    if (!this.list.id) this.list.id = `findings-of-${row.area.name}`;
    row.area.setAttribute("aria-describedby", this.list.id);
  }

  get servedErrors() {
    return this.served.filter((item) => item.matches(".error")).map((item) => item.textContent.trim());
  }

  hideMarks() {
    this.marks.clear();
  }

  /** `findings` of the whole text, null for those that the page came with: they are of its own text alone. */
  show(findings, isOpen) {
    const mine = findings?.filter((each) => (each.field === "item" ? "question" : each.field) === this.name);
    const isServed = !isOpen || this.row.area.value === this.servedText;
    this.list.replaceChildren(...mine?.map(shownFinding) ?? (isServed ? this.served : []));
    const served = this.row.area.value === this.servedText ? this.servedSpans : [];
    const spans = findings?.flatMap((each) => each.spans.map(([field, start, end]) =>
      ({ field, start, end, severity: each.severity }))) ?? served;
    this.marks.show(spans.filter(({ field }) => field === this.name));
  }
}

function shownRepair(repair) {
  return { label: repair?.label ?? "", texts: repair ? JSON.stringify([repair.question, ...repair.options]) : "" };
}

function nameOf(row) {
  return row.area.name.replace("option_", "options.");
}

function emptyList() {
  const list = element("ul");
  list.className = "findings";
  list.setAttribute("role", "list");
  return list;
}

function shownFinding({ severity, message }) {
  const item = element("li");
  item.className = `finding ${severity}`;
  item.append(element("span", message));
  return item;
}

/** What the page says of a finding's places: "options.0:3:8:error options.1:0:2:error". */
function spansOf(said = "") {
  return said.split(" ").filter(Boolean).map((each) => {
    const [field, start, end, severity] = each.split(":");
    return { field, start: Number(start), end: Number(end), severity };
  });
}

function element(name, words = "") {
  const made = document.createElement(name);
  made.textContent = words;
  return made;
}
