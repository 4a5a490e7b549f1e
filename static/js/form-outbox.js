// A form on its way, such as a senior's decision or a second look: kept on this device until the server has
// answered for it, and sent exactly once.
import { dropDraft } from "./drafts.js";
import * as outbox from "./outbox.js";

export class FormOutbox {
  /**
   * `complain(words, code)` shows a refusal beside the form, `note(words)` how far it is; `parts` selects what
   * cannot be changed while the form is on its way. `goOn({next})` leads on once it is stored.
   */
  constructor(form, draftId, { complain, note, parts, goOn = leave }) {
    Object.assign(this, { form, draftId, complain, note, parts, goOn, isLocked: false, isDone: false });
    outbox.watchOutbox((entry, result) => this.settle(entry, result), null);
  }

  /** Hold what an earlier visit of this page sent and the server has not answered for; send it again. */
  async resume() {
    if (!(await outbox.pending()).some((entry) => entry.draft === this.draftId)) return;
    this.lock(true);
    await this.send();
  }

  /**
   * Store what the form says and try to send it; the page stays as it is until the server has answered. Resolves to
   * whether the form is done with.
   */
  async submit() {
    if (this.isLocked) return false;
    this.lock(true);
    const body = new URLSearchParams(new FormData(this.form));
    const entry = {
      key: body.get("idempotency_key"), url: this.form.action, body: body.toString(),
      label: this.form.dataset.item, draft: this.draftId,
    };
    if (!(await outbox.store(entry))) {
      this.form.submit(); // Nothing can be stored here: the page of the answer says what became of it.
      return true;
    }
    await this.send();
    return this.isDone;
  }

  async send() {
    this.note(this.form.dataset.sending);
    await outbox.flush();
    if (this.isLocked && !this.isDone) this.note(this.form.dataset.kept);
  }

  /** What the server answered, at once or after a time without connection; whether a refusal is dealt with. */
  async settle(entry, result) {
    const isShown = entry.draft === this.draftId;
    if (result.kind === "refused" && isShown && this.isLocked) {
      this.lock(false);
      this.note("");
      this.complain(refusalOf(result), result.data?.code ?? "");
      return true;
    }
    if (result.kind === "taken" && entry.draft) dropDraft(entry.draft);
    if (result.kind === "taken" && isShown) {
      this.isDone = true;
      this.goOn(result.data ?? {});
    }
    return result.kind === "taken";
  }

  /** What was sent is what is shown: nothing can be changed before the answer. */
  lock(isOn) {
    this.isLocked = isOn;
    for (const part of document.querySelectorAll(this.parts)) part.toggleAttribute("inert", isOn);
  }
}

/** What the server said is wrong: of single fields, else of the whole. */
export function refusalOf({ data }) {
  const said = Object.values(data?.fields ?? {}).flat();
  return (said.length ? said : [data?.detail]).join(" ");
}

function leave({ next }) {
  window.location.assign(next ?? window.location.href);
}
