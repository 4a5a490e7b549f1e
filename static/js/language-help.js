// Hooks of the language help: keys, menu and marks; what they need is loaded when it is asked for first.
import { addKeys } from "./keyboard.js";

const help = document.querySelector("[data-language-help]");
let isMarking = false;

if (help) {
  addKeys({ find: () => open("find"), similar: () => open("similar"), propose: () => open("propose") });
  help.addEventListener("click", (event) => {
    const button = event.target.closest("[data-help]");
    if (!button) return;
    help.open = false;
    open(button.dataset.help);
  });
  // The workbench exchanges the parts of an item, and shows the source; the page does not say when.
  const changes = { childList: true, subtree: true, attributeFilter: ["data-blind"] };
  new MutationObserver(markSoon).observe(document.getElementById("main"), changes);
  markSoon();
}

async function open(name) {
  if (!help.querySelector(`[data-help=${name}]`)) return; // while control items are about, nothing is looked up
  const selected = window.getSelection().toString().trim();
  const { show } = await import("./language-panel.js");
  show(help, name, selected);
}

function markSoon() {
  if (isMarking || !document.querySelector("[data-term-hits]")) return;
  isMarking = true;
  requestAnimationFrame(async () => {
    const { mark } = await import("./term-marks.js");
    isMarking = false;
    mark();
  });
}
