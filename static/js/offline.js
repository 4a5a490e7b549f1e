// Makes the workbench open without a connection: its empty page and its parts are kept on this device.
import { PAGES } from "./device.js";

const PART = /^\/(static\/|fonts\/|styles\.css$)/; // as in service_worker.js
let isAllThere = false;

/** Keep the page at `shellUrl` for this address or another, and everything that it has loaded. */
export async function keepPage(shellUrl, address = window.location.pathname) {
  if (!navigator.serviceWorker || !globalThis.caches) return;
  try {
    await navigator.serviceWorker.register("/service-worker.js");
    const pages = await caches.open(PAGES);
    const shell = await fetch(shellUrl, { credentials: "same-origin" });
    if (!shell.ok || shell.redirected) return;
    await pages.put(address, shell);
    await keepParts(pages);
  } catch {
    // No connection, or no room: the next page tries again.
  }
}

/**
 * Fetch, when nothing else is to do, what corrections may need and no item has needed yet. Called once the first
 * judgement is stored: whoever only looks in does not pay for it, and a connection lost before finds the bare editor.
 */
export async function keepForLater() {
  if (isAllThere) return;
  isAllThere = true;
  await new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));
  await Promise.allSettled([
    import("./checks.js"), import("./proposals.js"), import("./graphemes.js"), import("./invisibles.js"),
    import("./wylie-typing.js"), import("./wylie.js"),
  ]);
  if (globalThis.caches) await keepParts(await caches.open(PAGES)).catch(() => {});
}

async function keepParts(pages) {
  await Promise.all(parts().map((url) => keepPart(pages, url)));
}

async function keepPart(pages, url) {
  if (await pages.match(url)) return;
  const response = await fetch(url);
  if (response.ok) await pages.put(url, response);
}

function parts() {
  const loaded = performance.getEntriesByType("resource").map((entry) => new URL(entry.name));
  return loaded
    .filter((url) => url.origin === window.location.origin && PART.test(url.pathname))
    .map((url) => url.href);
}
