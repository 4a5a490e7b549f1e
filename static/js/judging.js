// A judgement by keyboard: verdict, ratings one after the other, error tags. The same keys wherever one judges.
import { tellKeys } from "./keyboard.js";

export class Judging {
  /** `isLocked()` tells that nothing may change now; `revise()` opens the texts for a correction. */
  constructor(form, { isLocked = () => false, revise = () => {} } = {}) {
    Object.assign(this, { form, isLocked, revise });
    /** The names of what is rated, in the order of the page. */
    this.criteria = [...form?.querySelectorAll("[data-rating]") ?? []].map((group) => group.dataset.rating);
    form?.addEventListener("input", ({ target }) => target === form.elements.comment && this.sayWhoIsNamed());
  }

  /** What the keys know of the form: the criteria with their levels, and which one the next digit rates. */
  get mode() {
    const levelsOf = (name) => [...this.form.elements[name]].map(({ value }) => value);
    const criteria = this.criteria.map((name) => ({ name, levels: levelsOf(name) }));
    return { kind: "judging", criteria, aim: this.firstOpen() };
  }

  /** For `bindKeys`: each action of the keyboard map that belongs to a judgement. */
  get handlers() {
    return {
      approve: () => this.choose("approve"), revise: () => this.choose("revise"), reject: () => this.choose("reject"),
      aim: ({ criterion }) => this.aim(criterion), rate: (action) => this.rate(action),
      ...this.tagKeys(), comment: () => this.form?.elements.comment.focus(),
    };
  }

  choose(verdict) {
    if (this.isLocked()) return;
    set([...this.form.elements.verdict].find((radio) => radio.value === verdict));
    if (verdict === "revise") this.revise();
  }

  /** Let the next digit rate the criterion `name`. */
  aim(name) {
    tellKeys({ aim: name });
    for (const group of this.form?.querySelectorAll("[data-rating]") ?? [])
      group.toggleAttribute("data-active", group.dataset.rating === name);
  }

  aimAtFirstOpen() {
    this.aim(this.firstOpen());
  }

  firstOpen() {
    return this.criteria.find((name) => !this.form.elements[name].value) ?? this.criteria[0];
  }

  /** Go on to the next criterion once somebody has rated one by hand. */
  follow(field) {
    if (this.criteria.includes(field.name)) this.aim(tellKeys({ rated: field.name }).aim);
  }

  rate({ criterion, level, aim }) {
    if (!this.isLocked()) set([...this.form.elements[criterion]].find(({ value }) => value === level));
    this.aim(this.isLocked() ? criterion : aim);
  }

  /** An @ offers names elsewhere: here it says that it names nobody. */
  sayWhoIsNamed() {
    const place = this.form.querySelector("[data-nobody-named]");
    place.hidden = !/(?:^|[^\p{L}\p{N}_])@/u.test(this.form.elements.comment.value);
  }

  /** Whether verdict and every rating are chosen; beside what is not, its own words say so. */
  isComplete() {
    const missing = ["verdict", ...this.criteria].filter((name) => !this.form.elements[name].value);
    for (const name of ["verdict", ...this.criteria]) {
      const place = this.form.querySelector(`[data-error="${name}"]`);
      place.hidden = !missing.includes(name);
      place.textContent = place.hidden ? "" : this.form.querySelector(`#f-${name}`).dataset.choose;
    }
    this.form.querySelector(`#f-${missing[0]}`)?.scrollIntoView({ block: "nearest" });
    if (this.criteria.includes(missing[0])) this.aim(missing[0]);
    return !missing.length;
  }

  /** Each error tag that has a key in the keyboard map, under the map's name for it. */
  tagKeys() {
    return Object.fromEntries([...this.form?.querySelectorAll("[name=tags][data-shortcut]") ?? []]
      .map((box) => [box.dataset.shortcut, () => !this.isLocked() && box.click()]));
  }
}

function set(field) {
  field.checked = true;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
