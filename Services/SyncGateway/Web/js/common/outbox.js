/**
 * The outbox of this browser (IndexedDB): orders, favourites and showings of buyers; activities, harvests, collections
 * and counts of the staff. Each command is stored under its idempotency key before it is sent for the first time. The
 * server executes a command once for each key, so it can be sent again after a lost response, a closed tab or from a
 * second tab.
 */
import { notifyChange, requestResult, transact, withLock } from "./storage.js";

/** The ids of commands whose last attempt had an unknown outcome; they are sent after all others. */
const unknown = new Set();
/** An unknown outcome usually costs a timeout: after two of them the remaining commands wait for the next run. */
const Limits = { atOnce: 50, unknown: 2 };

/**
 * @typedef {object} OutboxEntry
 * @property {string} id the idempotency key; also the id of an order until the server has assigned one
 * @property {"orders"|"favourites"|"showings"|"work"|"collections"|"counts"} table
 * @property {any} body of the request
 * @property {string} [change] kind of change, for records of `POST /v1/sync`
 * @property {string} [path] of the request, for commands of the staff
 * @property {any} [shown] what the page showed when the command was given
 * @property {number} made milliseconds since 1970
 * @property {"waiting"|"refused"} state
 * @property {string} [reason] why the server refused it, as text for people
 * @property {string|null} person the owner; null until someone signs in
 */

/**
 * @typedef {object} Result
 * @property {number} status of HTTP
 * @property {any} answer the response body, or the problem
 */

/** Reads the entries of some tables. @param {string[]} tables @returns {Promise<OutboxEntry[]>} oldest first */
export async function readEntries(tables) {
    const rows = await transact(["outbox"], "readonly", (store) => requestResult(store.getAll()));
    return rows.filter(({ table }) => tables.includes(table)).sort((left, right) => left.made - right.made);
}

/** Returns a new entry in state `waiting`. @param {Omit<OutboxEntry, "made"|"state">} row @returns {OutboxEntry} */
export function newEntry(row) {
    return { ...row, made: Date.now(), state: "waiting" };
}

/** Stores an entry. It is durable when the promise resolves. @param {OutboxEntry} row */
export async function saveEntry(row) {
    await transact(["outbox"], "readwrite", (store) => {
        store.put(row);
    });
    notifyChange("outbox");
}

/** Removes an entry. @param {string} id */
export async function removeEntry(id) {
    await transact(["outbox"], "readwrite", (store) => {
        store.delete(id);
    });
    notifyChange("outbox");
}

/**
 * Sends waiting entries, oldest first. Stops if the server does not respond or requires a sign-in.
 * @param {object} given
 * @param {OutboxEntry[]} given.rows
 * @param {(row: OutboxEntry) => boolean} given.isMine whether the signed-in person owns the entry
 * @param {(row: OutboxEntry) => Promise<Result|null>} given.send returns null if there is no response
 * @param {(row: OutboxEntry, result: Result) => Promise<boolean>} given.settle stores the outcome; returns whether
 *     the command succeeded
 * @returns {Promise<{sent: number, signIn: boolean}>} `signIn`: the server requires a sign-in
 */
export async function sendWaiting({ rows: all, isMine, send, settle }) {
    const rows = all.filter((row) => row.state === "waiting" && isMine(row));
    rows.sort((left, right) => Number(unknown.has(left.id)) - Number(unknown.has(right.id)));
    let sent = 0;
    let unknownOutcomes = 0;
    for (const row of rows.slice(0, Limits.atOnce)) {
        if (!isMine(row)) break;
        const result = await send(row);
        if (result === null) break;
        if (result.status === 401) return { sent, signIn: true };
        if (isUnknown(result)) {
            unknown.add(row.id);
            unknownOutcomes += 1;
            if (unknownOutcomes === Limits.unknown) break;
            continue;
        }
        unknown.delete(row.id);
        if (await settle(row, result)) sent += 1;
    }
    return { sent, signIn: false };
}

/** Runs `body` while no other tab sends. @template T @param {() => Promise<T>} body @returns {Promise<T>} */
export function withSendLock(body) {
    return withLock("furrow-outbox", body);
}

/** Whether the outcome is unknown: the entry is sent again later, and the entries after it do not wait. */
function isUnknown({ status }) {
    return status === 429 || status === 202 || isTemporary(status);
}

/** Whether the same request can succeed later: 425 (an event is not consumed yet) or a server error. */
export function isTemporary(status) {
    return status === 425 || status >= 500;
}
