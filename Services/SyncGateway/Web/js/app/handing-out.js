/**
 * Orders that are given out, at a stall without a network, too: each is written down here before it is sent, and sent
 * under the same key until the server has answered. Pressed here and there, it is one; what was refused is asked anew,
 * as the server answers the same to the same key for ever. It stays with whoever gave it out: nobody else says that
 * they did.
 */
import { command, NoAnswer, Problem } from "./api.js";
import { freshKey } from "./intention.js";
import { patience, recall } from "./kept.js";

const place = () => `furrow-given-out ${recall("me")?.person ?? ""}`;
/** Where storage is off it lasts as long as the page. */
let memory = [];

/**
 * @typedef {object} Given
 * @property {string} order
 * @property {string} key Idempotency-Key
 * @property {string} [refused] why the server said no
 */

/** Where a former build kept them, under nobody's name. */
const formerPlace = "furrow-given-out";

function adoptFormer() {
    const former = localStorage.getItem(formerPlace);
    if (former === null || !recall("me")) return;
    localStorage.setItem(place(), JSON.stringify([
        ...JSON.parse(former), ...JSON.parse(localStorage.getItem(place()) ?? "[]"),
    ]));
    localStorage.removeItem(formerPlace);
}

/** @returns {Given[]} those that the server has not taken yet */
export function givenOut() {
    try {
        adoptFormer();
        return JSON.parse(localStorage.getItem(place()) ?? "[]");
    } catch {
        return memory;
    }
}

function write(rows) {
    memory = rows;
    try {
        localStorage.setItem(place(), JSON.stringify(rows));
    } catch {
        // It is in the memory, and sent from there.
    }
}

/** @param {string} order */
export function giveOut(order) {
    const rows = givenOut();
    if (rows.some((row) => row.order === order && !row.refused)) return;
    write([...rows.filter((row) => row.order !== order), { order, key: freshKey() }]);
}

/** @param {string} order that the server has refused, and somebody has read why */
export function forgetGiven(order) {
    write(givenOut().filter((row) => row.order !== order));
}

let running = null;

/** @returns {Promise<void>} when the server has answered to each, or to none any more */
export function sendGivenOut() {
    running ??= send().finally(() => {
        running = null;
    });
    return running;
}

/** @returns {Promise<void>} the same, or when a silent network has been waited for long enough */
export function trySendingGivenOut() {
    return Promise.race([sendGivenOut(), new Promise((resolve) => setTimeout(resolve, patience))]);
}

async function send() {
    const mine = place();
    for (const row of givenOut().filter((one) => !one.refused)) {
        if (place() !== mine) break;
        try {
            // The cookie may be another's by now: the server refuses what is not the caller's.
            const person = recall("me")?.person ?? null;
            await command("POST", `/v1/sales/${row.order}/collections`, { person }, row.key,
                { isQueued: true });
            forgetGiven(row.order);
        } catch (error) {
            if (error instanceof NoAnswer) break;
            if (!(error instanceof Problem)) throw error;
            // Not signed in any more, or somebody else is: it waits until they are again.
            if (error.status === 401) break;
            write(givenOut().map((one) => (one.order === row.order ? { ...one, refused: error.message } : one)));
        }
    }
}
