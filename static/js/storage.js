// JSON in localStorage under "lotsawa.<kind>.<user>."; silent where storage is off or full.
export const user = () => document.body.dataset.user || "nobody";

const prefix = (kind) => `lotsawa.${kind}.${user()}.`;

export function read(kind, id) {
  try {
    return JSON.parse(localStorage.getItem(prefix(kind) + id));
  } catch {
    return null;
  }
}

let isClosed = false;

/** Returns whether it is really stored. */
export function write(kind, id, value) {
  if (isClosed) return false;
  try {
    localStorage.setItem(prefix(kind) + id, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function remove(kind, id) {
  try {
    localStorage.removeItem(prefix(kind) + id);
  } catch {
    // Storage is off: there was nothing.
  }
}

/**
 * Remove everything that this user has here, except what is of the kinds in `kept`. Without any, nothing more is
 * stored until the next page.
 */
export function forgetPerson(kept) {
  isClosed = !kept.length;
  for (const key of keys()) {
    const [, kind, owner] = key.split(".");
    if (owner === user() && !kept.includes(kind)) localStorage.removeItem(key);
  }
}

/** Whether anybody has something of this kind here. */
export function hasAny(kind) {
  return keys().some((key) => key.startsWith(`lotsawa.${kind}.`));
}

function keys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith("lotsawa."));
  } catch {
    return [];
  }
}

/** [[id, value], …] of this user, oldest `at` first. */
export function all(kind) {
  const found = [];
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(prefix(kind))) continue;
      const id = key.slice(prefix(kind).length);
      const value = read(kind, id);
      if (value) found.push([id, value]);
    }
  } catch {
    return [];
  }
  return found.sort((a, b) => (a[1].at ?? 0) - (b[1].at ?? 0));
}
