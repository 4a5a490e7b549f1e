// What this device keeps in IndexedDB, by person: reserved items, judgements on their way, refused ones.
import { user } from "./storage.js";

const NAME = "lotsawa";
const STORES = ["items", "outbox", "refused"];
/** Pages for work without a connection, kept by the service worker and by `offline.js`. */
export const PAGES = "lotsawa-pages";

let opened = null;

/** Every row of the person who is signed in, those kept first first. */
export async function all(store) {
  const rows = await run(store, "readonly", (rows) => rows.getAll());
  return rows.filter((row) => row.user === user()).sort((a, b) => a.at - b.at);
}

/** Keep `value` under `key`; resolves when it is stored, and fails where nothing can be. */
export async function put(store, key, value) {
  await run(store, "readwrite", (rows) => rows.put({ at: Date.now(), ...value, key, user: user() }, idOf(key)));
}

export async function remove(store, key) {
  await run(store, "readwrite", (rows) => rows.delete(idOf(key)));
}

/** Items and pages that somebody else kept here are theirs to see only; what waits to be sent stays. */
export async function forgetOthers() {
  if (user() === localStorage.getItem("lotsawa.owner")) return;
  await globalThis.caches?.delete(PAGES);
  await run("items", "readwrite", (rows) => rows.clear());
  localStorage.setItem("lotsawa.owner", user());
}

/** Remove the items and pages that are kept here and, from `stores`, what belongs to the person who is signed in. */
export async function forgetPerson(stores) {
  await globalThis.caches?.delete(PAGES);
  await run("items", "readwrite", (rows) => rows.clear());
  const own = IDBKeyRange.bound(idOf(""), `${idOf("")}\uffff`);
  for (const store of stores) await run(store, "readwrite", (rows) => rows.delete(own));
}

/** Whether work of anybody waits on this device. */
export async function hasWork() {
  const count = (store) => run(store, "readonly", (rows) => rows.count());
  const counts = await Promise.all(["outbox", "refused"].map(count));
  return counts.some(Boolean);
}

function idOf(key) {
  return `${user()}.${key}`;
}

async function run(store, mode, ask) {
  opened ??= open();
  const database = await opened;
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(store, mode);
    const request = ask(transaction.objectStore(store));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => STORES.forEach((store) => request.result.createObjectStore(store));
    request.onsuccess = () => {
      // The browser may end it, as when somebody clears the site's data or the disk fails: open it anew then.
      request.result.onclose = () => (opened = null);
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}
