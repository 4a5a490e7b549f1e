// Serves the workbench where the network does not: its page without an item, and what that page needs.
// Instead of a dispute it shows a page that says what needs the network. A second look is kept as it was opened.
// The items themselves are kept by the page (items.js). Everything else goes to the network as ever.
const PAGES = "lotsawa-pages";
const WORKBENCH = /^\/projects\/[^/]+\/rounds\/\d+\/workbench\/$/;
const DISPUTES = /^(\/projects\/[^/]+\/disputes\/)/;
const SECOND_LOOK = /^\/second-looks\/\d+\/$/;
const PART = /^\/(static\/|fonts\/|styles\.css$)/;
const DOWN = [502, 503, 504];

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  const isKept = WORKBENCH.test(pathname) || SECOND_LOOK.test(pathname);
  if (request.mode === "navigate" && isKept) event.respondWith(page(request, pathname));
  else if (request.mode === "navigate" && DISPUTES.test(pathname)) {
    event.respondWith(page(request, `${DISPUTES.exec(pathname)[1]}offline/`));
  } else if (PART.test(pathname)) event.respondWith(part(request));
});

async function page(request, pathname) {
  try {
    const response = await fetch(request);
    return DOWN.includes(response.status) ? ((await kept(pathname)) ?? response) : response;
  } catch (error) {
    const found = await kept(pathname);
    if (found) return found;
    throw error;
  }
}

async function part(request) {
  try {
    const response = await fetch(request);
    if (response.ok) (await caches.open(PAGES)).put(request, response.clone());
    return response;
  } catch (error) {
    const found = await kept(request);
    if (found) return found;
    throw error;
  }
}

async function kept(what) {
  return (await caches.open(PAGES)).match(what, { ignoreSearch: true, ignoreVary: true });
}
