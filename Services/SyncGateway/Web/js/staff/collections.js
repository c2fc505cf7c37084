/**
 * Orders that are given out. Pressed here and there, it is one command; what was refused is sent under another key, as
 * the server answers the same to the same key for ever.
 */
import { freshKey } from "../common/idempotency.js";
import { add, drop, waitingOf } from "./outbox.js";

/**
 * @typedef {object} Given
 * @property {string} order
 * @property {string} [refused] why the server said no
 */

/** @returns {Given[]} those that the server has not taken yet */
export function givenOut() {
    return waitingOf("collections").map(({ shown, state, reason }) => (
        { order: shown.order, ...(state === "refused" ? { refused: reason } : {}) }));
}

/** @param {string} order */
export async function giveOut(order) {
    const known = waitingOf("collections").filter(({ shown }) => shown.order === order);
    if (known.some(({ state }) => state !== "refused")) return;
    await add({
        id: freshKey(), table: "collections", path: `/v1/sales/${order}/collections`, body: {}, shown: { order },
    });
    for (const { id } of known) await drop(id);
}

/** @param {string} order that the server has refused, and somebody has read why */
export async function forgetGiven(order) {
    for (const { id, shown } of waitingOf("collections")) {
        if (shown.order === order) await drop(id);
    }
}
