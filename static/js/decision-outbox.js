// A senior's decision on its way: kept on this device until the server has answered for it, and sent exactly once.
import { dropDraft } from "./drafts.js";
import { keepPage } from "./offline.js";
import * as outbox from "./outbox.js";

export class DecisionOutbox {
  /** `complain(words)` shows a refusal beside the form, `note(words)` how far the decision is. */
  constructor(form, draftId, { complain, note }) {
    Object.assign(this, { form, draftId, complain, note, isLocked: false });
    outbox.watchOutbox((entry, result) => this.settle(entry, result), null);
    const offline = new URL(form.dataset.offlineUrl, window.location.href);
    keepPage(offline.href, offline.pathname);
  }

  /** Store the decision and try to send it; the page stays as it is until the server has answered. */
  async submit() {
    if (this.isLocked) return;
    this.lock(true);
    const body = new URLSearchParams(new FormData(this.form));
    const entry = {
      key: body.get("idempotency_key"), url: this.form.action, body: body.toString(),
      label: this.form.dataset.item, panel: this.form.dataset.panel,
    };
    if (!(await outbox.store(entry))) {
      this.form.submit(); // Nothing can be stored here: the page of the answer says what became of it.
      return;
    }
    this.note(this.form.dataset.sending);
    await outbox.flush();
    if (this.isLocked) this.note(this.form.dataset.kept);
  }

  /** What the server answered, at once or after a time without connection; whether a refusal is dealt with. */
  async settle(entry, result) {
    const isShown = this.isLocked && entry.panel === this.form.dataset.panel;
    if (result.kind === "refused" && isShown) {
      this.lock(false);
      this.note("");
      const said = Object.values(result.data?.fields ?? {}).flat();
      this.complain((said.length ? said : [result.data?.detail]).join(" "));
      return true;
    }
    if (result.kind === "taken" && entry.panel) dropDraft(`dispute-${entry.panel}`);
    if (result.kind === "taken" && isShown) window.location.assign(result.data?.next ?? window.location.href);
    return result.kind === "taken";
  }

  /** What was sent is what is shown: nothing can be changed before the answer. */
  lock(isOn) {
    this.isLocked = isOn;
    const parts = document.querySelectorAll("[data-matrix], [data-bar] > :not([data-error], [data-note])");
    for (const part of parts) part.toggleAttribute("inert", isOn);
  }
}
