/**
 * Collections of orders that the server has not accepted yet. Each order has one command in the outbox. After a refusal
 * the command gets a new idempotency key, because the server replays its stored response for a known key.
 */
import { newKey } from "../common/idempotency.js";
import { add, drop, pendingEntries } from "./outbox.js";

/**
 * @typedef {object} PendingCollection
 * @property {string} order
 * @property {string} [refused] why the server refused it
 */

/** @returns {PendingCollection[]} the collections that are not accepted yet */
export function pendingCollections() {
    return pendingEntries("collections").map(({ shown, state, reason }) => (
        { order: shown.order, ...(state === "refused" ? { refused: reason } : {}) }));
}

/** Queues the collection of an order, unless it is queued already. @param {string} order */
export async function recordCollection(order) {
    const known = pendingEntries("collections").filter(({ shown }) => shown.order === order);
    if (known.some(({ state }) => state !== "refused")) return;
    await add({
        id: newKey(), table: "collections", path: `/v1/sales/${order}/collections`, body: {}, shown: { order },
    });
    for (const { id } of known) await drop(id);
}

/** Removes a refused collection after its reason was read. @param {string} order */
export async function dismissCollection(order) {
    for (const { id, shown } of pendingEntries("collections")) {
        if (shown.order === order) await drop(id);
    }
}
