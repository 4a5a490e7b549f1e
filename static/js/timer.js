// Active seconds at an item: the clock stands while the page is hidden or nothing has happened for a minute.
const IDLE_MS = 60_000;
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "touchmove", "input"];

export class ActiveTimer {
  constructor(now = () => performance.now()) {
    this.now = now;
    this.reset(0);
    for (const type of SIGNS) document.addEventListener(type, () => this.sign(), { passive: true });
    document.addEventListener("visibilitychange", () => (document.hidden ? this.pause() : this.sign()));
  }

  reset(seconds) {
    this.total = seconds * 1000;
    this.since = this.last = this.now();
  }

  sign() {
    const now = this.now();
    this.total += this.since === null ? 0 : Math.min(now - this.last, IDLE_MS);
    this.since = this.last = now;
  }

  pause() {
    this.sign();
    this.since = null;
  }

  /** Whether anything has happened in the last `minutes`. */
  wasActive(minutes) {
    return this.now() - this.last < minutes * 60_000;
  }

  get seconds() {
    const running = this.since === null ? 0 : Math.min(this.now() - this.last, IDLE_MS);
    return Math.round((this.total + running) / 1000);
  }
}
