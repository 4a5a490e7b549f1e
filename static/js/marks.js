// Marks what is wrong in a text itself: under the letters of the text that is shown, and over the editor.
const CAN_MARK = Boolean(globalThis.CSS?.highlights && globalThis.Highlight);
const COPIED = [
  "font", "letterSpacing", "lineHeight", "direction", "textAlign",
  "paddingTop", "paddingRight", "paddingBottom", "paddingLeft",
  "borderTopWidth", "borderRightWidth", "borderBottomWidth", "borderLeftWidth",
];

export class TextMarks {
  constructor(row) {
    this.row = row;
    this.spans = [];
    this.text = row.area.value;
    this.over = null;
    this.ranges = [];
    new ResizeObserver(() => this.place()).observe(row.area);
    row.area.addEventListener("scroll", () => this.over && follow(this.over, row.area));
  }

  /** `spans` count code points of the text in the editor. */
  show(spans) {
    this.clear();
    this.spans = spans;
    this.text = this.row.area.value;
    if (!spans.length) return;
    this.markShown();
    this.markEditor();
  }

  /** Show them in the text that they were made for alone: in another they would be at other letters. */
  keepToText() {
    if (this.row.area.value !== this.text) this.clear();
    else if (!this.over) this.show(this.spans);
  }

  clear() {
    this.over?.remove();
    this.over = null;
    for (const range of this.ranges) for (const name of ["fault", "doubt"]) CSS.highlights.get(name)?.delete(range);
    this.ranges = [];
  }

  /** Only where the text is shown as it is: formulas that are drawn have other letters. */
  markShown() {
    const { shown, original } = this.row;
    const root = shown.querySelector(".as-is") ?? shown;
    if (!CAN_MARK || root.textContent !== original || this.row.area.value !== original) return;
    for (const { start, end, severity } of this.spans) {
      const range = rangeIn(root, ...unitsOf(original, start, end));
      if (!range) continue;
      highlight(severity).add(range);
      this.ranges.push(range);
    }
  }

  /** A copy of the text with marks, of which only the lines under the marks can be seen. */
  markEditor() {
    const { area, cell } = this.row;
    this.over = document.createElement("div");
    this.over.className = "text-marks";
    this.over.setAttribute("aria-hidden", "true");
    this.over.lang = area.lang;
    this.over.dir = area.dir;
    this.over.append(...pieces(area.value, this.spans));
    cell.append(this.over);
    this.place();
  }

  place() {
    const { area } = this.row;
    if (!this.over) return;
    this.over.hidden = !area.offsetParent;
    if (this.over.hidden) return;
    const style = getComputedStyle(area);
    for (const name of COPIED) this.over.style[name] = style[name];
    for (const [side, length] of [["top", area.offsetTop], ["left", area.offsetLeft],
      ["width", area.offsetWidth], ["height", area.offsetHeight]]) this.over.style[side] = `${length}px`;
    follow(this.over, area);
  }
}

/** Scroll what lies over `area` as far, with lines as long where a scroll bar takes room. */
export function follow(over, area) {
  over.style.borderBottomWidth = `${area.offsetHeight - area.clientHeight - area.clientTop}px`;
  over.style.borderRightWidth = `${area.offsetWidth - area.clientWidth - area.clientLeft}px`;
  over.scrollTo(area.scrollLeft, area.scrollTop);
}

function highlight(severity) {
  const name = severity === "error" ? "fault" : "doubt";
  if (!CSS.highlights.has(name)) CSS.highlights.set(name, new Highlight());
  return CSS.highlights.get(name);
}

/** Code points to the units in which a script counts letters. */
function unitsOf(text, start, end) {
  const points = [...text];
  return [points.slice(0, start).join("").length, points.slice(0, end).join("").length];
}

function rangeIn(root, start, end) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = new Range();
  let at = 0;
  let isOpen = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const next = at + node.data.length;
    if (!isOpen && start < next) {
      range.setStart(node, start - at);
      isOpen = true;
    }
    if (isOpen && end <= next) {
      range.setEnd(node, end - at);
      return range;
    }
    at = next;
  }
  return null;
}

function pieces(text, spans) {
  const points = [...text];
  const found = [];
  let at = 0;
  for (const { start, end, severity } of [...spans].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    const mark = document.createElement("mark");
    mark.className = severity;
    mark.textContent = points.slice(start, end).join("");
    found.push(points.slice(at, start).join(""), mark);
    at = end;
  }
  return [...found, points.slice(at).join("")];
}
