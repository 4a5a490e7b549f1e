// The items that this device holds: the one on the screen and those reserved ahead, so that the next one
// is there at once, and without a connection. The server says which seats are held; they are kept for it.
import * as device from "./device.js";
import { user } from "./storage.js";

/** {seat, item, html, until} of the seats held in the round, in the order in which they are shown. */
let kept = [];
let round = "";
let letGo = null;

/** Take up what an earlier page kept of this round. */
export async function load(roundId) {
  round = roundId;
  try {
    await device.forgetOthers();
    kept = (await device.all("items")).filter((record) => record.round === round);
  } catch {
    kept = []; // Without storage the items live as long as the page.
  }
}

export function find(seat) {
  return kept.find((record) => record.seat === seat);
}

/** The seats that need not be sent again. */
export function seats() {
  return kept.map((record) => record.seat);
}

export async function add(record) {
  kept = [...kept.filter(({ seat }) => seat !== record.seat), { ...record, round }];
  await store(find(record.seat));
}

export async function drop(seat) {
  kept = kept.filter((record) => record.seat !== seat);
  await quietly(() => device.remove("items", seat));
}

/** Nothing of this round can be judged any more: keep only the item that is on the screen. */
export async function dropOthers(shown) {
  for (const { seat } of kept) if (seat !== shown) await drop(seat);
}

/**
 * Take in an answer of the server: new items, how long each seat is held, and which are not any more.
 * `isBusy` tells the seats that stay in any case. Returns the part of the answer about what is held.
 */
export async function takeIn(answer, isBusy) {
  const held = answer.querySelector("[data-part=held]");
  const until = new Map(held.dataset.seats.split(" ").filter(Boolean).map((pair) => pair.split(":"))
    .map(([seat, seconds]) => [seat, Date.now() + 1000 * Number(seconds)]));
  for (const template of answer.querySelectorAll("template[data-seat]")) {
    const { seat, item } = template.dataset;
    await add({ seat, item, html: asHtml(template.content), until: until.get(seat) });
  }
  for (const { seat } of kept) if (!until.has(seat) && !isBusy(seat)) await drop(seat);
  const order = [...until.keys()];
  for (const record of kept) {
    record.until = until.get(record.seat) ?? record.until;
    await store(record);
  }
  kept.sort((a, b) => order.indexOf(a.seat) - order.indexOf(b.seat));
  return held;
}

/** The first item that is not among `without` and not open in another tab; this tab has it from now on. */
export async function next(without) {
  for (const record of [...kept]) {
    if (!without.has(record.seat) && (await claim(record.seat))) return record;
  }
  return null;
}

/** Mark the item as open in this tab; returns false if another tab has it open. */
export async function claim(seat) {
  if (!navigator.locks) return true;
  letGo?.();
  letGo = null;
  return new Promise((resolve) => {
    navigator.locks.request(`lotsawa-item.${user()}.${seat}`, { ifAvailable: true }, (lock) => {
      resolve(Boolean(lock));
      return lock && new Promise((release) => (letGo = release));
    });
  });
}

/** The parts as text. A text area loses its first line break when that is read again, so it gets one more. */
export function asHtml(parts) {
  const box = document.createElement("div");
  box.append(parts.cloneNode(true));
  for (const area of box.querySelectorAll("textarea")) area.textContent = `\n${area.textContent}`;
  return box.innerHTML;
}

async function store(record) {
  await quietly(() => device.put("items", record.seat, record));
}

async function quietly(run) {
  try {
    await run();
  } catch {
    // Storage is off or full: the items live as long as the page.
  }
}
