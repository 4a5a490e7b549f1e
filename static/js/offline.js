// Makes the workbench open without a connection: its empty page and its parts are kept on this device.
import { PAGES } from "./device.js";

const PART = /^\/(static\/|fonts\/|styles\.css$)/; // as in service_worker.js

/** Keep the page at `shellUrl` for this address or another, and everything that it has loaded. */
export async function keepPage(shellUrl, address = window.location.pathname) {
  if (!navigator.serviceWorker || !globalThis.caches) return;
  try {
    await navigator.serviceWorker.register("/service-worker.js");
    const pages = await caches.open(PAGES);
    const shell = await fetch(shellUrl, { credentials: "same-origin" });
    if (!shell.ok || shell.redirected) return;
    await pages.put(address, shell);
    await Promise.all(parts().map((url) => keepPart(pages, url)));
  } catch {
    // No connection, or no room: the next page tries again.
  }
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
