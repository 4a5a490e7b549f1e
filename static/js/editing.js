// The texts of one item, corrected in place: an editor while one types, the difference when one leaves.
import { directionOf, grow } from "./autogrow.js";

/** graphemes.js, loaded with the first difference that somebody wants to see. */
let differences = null;

export class Editing {
  constructor(form, onChange) {
    this.form = form;
    this.rows = [...form.querySelectorAll("[data-target]")].map((cell) => new Row(cell));
    for (const row of this.rows) {
      row.area.addEventListener("focus", () => row.showEditor());
      row.area.addEventListener("blur", () => this.refresh());
      row.area.addEventListener("input", () => {
        grow(row.area);
        onChange();
      });
      row.area.addEventListener("keydown", (event) => this.goOn(event, row));
      row.shown.addEventListener("click", () => this.isOpen && !window.getSelection().toString() && row.edit());
    }
  }

  get isOpen() {
    return this.form.elements.verdict.value === "revise";
  }

  get isChanged() {
    return this.rows.some((row) => row.isChanged);
  }

  get isAnyEmpty() {
    return this.rows.some((row) => row.isNeeded && !row.area.value.trim());
  }

  /** Tab goes from text to text, past what stands between them. */
  goOn(event, row) {
    if (event.key !== "Tab" || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const next = this.rows[this.rows.indexOf(row) + (event.shiftKey ? -1 : 1)];
    if (!next) return;
    event.preventDefault();
    next.edit();
  }

  editFirst() {
    (this.rows.find((row) => row.isChanged) ?? this.rows[0])?.edit();
  }

  /** Show every row as verdict, diff switch and focus ask for. */
  refresh() {
    const showsDiff = this.isOpen && this.form.dataset.diff === "on";
    if (showsDiff && this.isChanged && !differences) this.loadDifferences();
    for (const row of this.rows) row.show(showsDiff && differences);
  }

  async loadDifferences() {
    try {
      differences = await import("./graphemes.js");
      this.refresh();
    } catch {
      // Without a connection the texts stay as they are.
    }
  }

  rebase(texts) {
    this.rows.forEach((row, index) => row.rebase(texts[index] ?? row.original));
    this.refresh();
  }
}

class Row {
  constructor(cell) {
    this.cell = cell;
    this.shown = cell.querySelector("[data-shown]");
    this.area = cell.querySelector("textarea");
    this.original = this.area.dataset.original ?? this.area.defaultValue;
    this.asServed = [...this.shown.childNodes];
    grow(this.area);
  }

  /** An explanation may be taken out, and an answer that was never there may be missing. */
  get isNeeded() {
    if (this.area.name === "answer") return Boolean(this.original.trim());
    return this.area.name !== "explanation";
  }

  get isChanged() {
    return this.area.value.normalize("NFC") !== this.original.normalize("NFC");
  }

  /** Show the text, or with `differences` what was changed in it. */
  show(differences) {
    const isDiffed = Boolean(differences) && this.isChanged && document.activeElement !== this.area;
    this.cell.toggleAttribute("data-diffed", isDiffed);
    if (isDiffed) {
      const { diff, diffNodes } = differences;
      this.shown.replaceChildren(...diffNodes(diff(this.original, this.area.value)));
    }
    else this.shown.replaceChildren(...this.asServed);
    if (this.shown.dir) this.shown.dir = directionOf(isDiffed ? this.original + this.area.value : this.original);
    grow(this.area);
  }

  showEditor() {
    this.cell.removeAttribute("data-diffed");
    this.shown.replaceChildren(...this.asServed);
    if (this.shown.dir) this.shown.dir = directionOf(this.original);
    grow(this.area);
  }

  edit() {
    this.showEditor();
    this.area.focus();
    this.area.setSelectionRange(this.area.value.length, this.area.value.length);
  }

  rebase(text) {
    if (!this.isChanged) this.area.value = text;
    this.original = text;
    this.asServed = [document.createTextNode(text)];
  }
}
